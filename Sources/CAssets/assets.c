#include "assets.h"

// #embed is C23, an extension to the compiler's default. A pragma silences the warning: flags of the target would be
// unsafe ones, with which a package cannot be a dependency.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "openapi.json"
};

const unsigned char *nhe_openapi(void) { return openapi; }

size_t nhe_openapi_size(void) { return sizeof openapi; }

static const unsigned char page[] = {
#embed "page/page.html"
};

const unsigned char *nhe_page(void) { return page; }

size_t nhe_page_size(void) { return sizeof page; }

static const unsigned char style[] = {
#embed "page/page.css"
    ,
#embed "page/phone.css"
};

const unsigned char *nhe_page_style(void) { return style; }

size_t nhe_page_style_size(void) { return sizeof style; }

// One script of several files: a name must be declared before a file that uses it while it is loaded.
static const unsigned char script[] = {
#embed "page/dom.js"
    ,
#embed "page/words.js"
    ,
#embed "page/band.js"
    ,
#embed "page/way.js"
    ,
#embed "page/uplinks.js"
    ,
#embed "page/cards.js"
    ,
#embed "page/charts.js"
    ,
#embed "page/history.js"
    ,
#embed "page/speedtest.js"
    ,
#embed "page/requests.js"
    ,
#embed "page/report.js"
    ,
#embed "page/live.js"
};

const unsigned char *nhe_page_script(void) { return script; }

size_t nhe_page_script_size(void) { return sizeof script; }
