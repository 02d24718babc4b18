// A LibreSpeed run and an ndt7 run as a script makes them: Node's own fetch, and the WebSocket of node-undici.
// node node.js http://HOST:PORT
"use strict";
const { WebSocket } = require("undici");

const base = process.argv[2];
const backend = `${base}/speedtest/backend`;

async function librespeed() {
    const ask = async (path, options) => {
        const answer = await fetch(`${backend}/${path}`, options);
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        return answer;
    };
    const address = await (await ask("getIP.php?isp=true&r=1")).json();
    for (let count = 0; count < 10; count++) {
        const body = await (await ask(`empty.php?r=${count}`)).text();
        if (body !== "") throw new Error(`a ping brought ${body}`);
    }
    const download = (await (await ask("garbage.php?ckSize=4&r=2")).arrayBuffer()).byteLength;
    await ask("empty.php?r=3", { method: "POST", body: new Uint8Array(2 << 20) });
    return { address: address.processedString, download };
}

function ndt7(direction) {
    return new Promise((resolve, reject) => {
        const address = `${base.replace("http", "ws")}/ndt/v7/${direction}`;
        const socket = new WebSocket(address, "net.measurementlab.ndt.v7");
        const load = new Uint8Array(1 << 16);
        const result = { bytes: 0, code: 0, last: null };
        const send = () => {
            if (socket.readyState !== WebSocket.OPEN) return;
            for (let count = 0; count < 8 && socket.bufferedAmount < 1 << 20; count++) socket.send(load);
            setTimeout(send, 1);
        };
        socket.onopen = () => {
            if (direction === "upload") send();
        };
        socket.onmessage = ({ data }) => {
            if (typeof data === "string") result.last = JSON.parse(data);
            else result.bytes += data.size;
        };
        socket.onerror = () => reject(new Error(`${address} failed`));
        socket.onclose = ({ code }) => resolve({ ...result, code });
    });
}

(async () => {
    const result = { librespeed: await librespeed() };
    for (const direction of ["download", "upload"]) result[direction] = await ndt7(direction);
    console.log(JSON.stringify(result));
    process.exit(0);
})().catch((error) => {
    console.error(error);
    process.exit(1);
});
