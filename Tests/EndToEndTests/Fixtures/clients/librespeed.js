// The requests of LibreSpeed's worker with its default settings in Chromium, to a server of another origin, and its method:
// an upload counts what the browser has written, and 6 % are added for headers.
"use strict";
const server = new URLSearchParams(location.search).get("server");
const address = (name, query = "") => `${server}${name}?cors=true&r=${Math.random()}${query}`;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let failures = 0;

function ask(method, url, body) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.onload = () => (request.status === 200 ? resolve(request.responseText) : reject(request.status));
        request.onerror = () => reject("failed");
        request.open(method, url);
        request.send(body);
    });
}

async function ping() {
    let best = Infinity;
    for (let count = 0; count < 10; count++) {
        const began = performance.now();
        if ((await ask("GET", address("backend/empty.php"))) !== "") failures++;
        // The first one opens the connection.
        if (count > 0) best = Math.min(best, performance.now() - began);
    }
    return best;
}

// Runs streams, 300 ms apart, each request again after its end, and returns Mbit/s.
async function measure(streams, grace, open) {
    let [moved, bonus, isWarm, isOver] = [0, 0, false, false];
    let began = performance.now();
    const running = new Set();
    const stream = () => {
        if (isOver) return;
        const request = new XMLHttpRequest();
        let last = 0;
        running.add(request);
        const end = () => {
            running.delete(request);
            stream();
        };
        const source = open(request);
        source.onprogress = ({ loaded }) => {
            moved += Math.max(0, loaded - last);
            last = loaded;
        };
        request.onload = () => {
            if (request.status < 200 || request.status > 299) failures++;
            end();
        };
        request.onerror = () => {
            failures++;
            end();
        };
        request.send(source.load);
    };
    for (let index = 0; index < streams; index++) setTimeout(stream, 1 + 300 * index);
    while (true) {
        await pause(200);
        const elapsed = (performance.now() - began) / 1000;
        if (isWarm) {
            const speed = moved / elapsed;
            bonus += Math.min(400, (5 * speed) / 100000);
            if (elapsed + bonus / 1000 <= 15) continue;
            isOver = true;
            for (const request of running) request.abort();
            return (speed * 8 * 1.06) / 1e6;
        } else if (elapsed > grace) {
            isWarm = true;
            if (moved > 0) [moved, bonus, began] = [0, 0, performance.now()];
        }
    }
}

function openDownload(request) {
    request.responseType = "arraybuffer";
    request.open("GET", address("backend/garbage.php", "&ckSize=100"));
    return request;
}

const piece = new Uint32Array(1 << 18).map(() => Math.random() * 2 ** 32);
const blob = new Blob(Array(20).fill(piece));

function openUpload(request) {
    request.open("POST", address("backend/empty.php"));
    request.setRequestHeader("Content-Encoding", "identity");
    request.upload.load = blob;
    return request.upload;
}

(async () => {
    const result = {};
    try {
        const text = await ask("GET", address("backend/getIP.php", "&isp=true&distance=km"));
        result.address = JSON.parse(text).processedString;
        result.ping = await ping();
        await pause(1000);
        result.download = await measure(5, 1.5, openDownload);
        await pause(1000);
        await ask("POST", `${server}backend/empty.php`);
        result.upload = await measure(3, 3, openUpload);
    } catch (error) {
        result.error = `${error}`;
    }
    postMessage({ ...result, failures });
})();
