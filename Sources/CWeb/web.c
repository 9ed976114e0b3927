#include "CWeb.h"

// The files are in the program, so that it is all there is to deploy. #embed (C23) takes them as they are; an array
// literal in Swift would take the compiler a minute.

static const unsigned char riblet_js[] = {
#embed "../../web/riblet.js"
};
static const unsigned char riblet_core_js[] = {
#embed "../../web/riblet-core.js"
};
static const unsigned char riblet_entry_js[] = {
#embed "../../web/riblet-entry.js"
};
static const unsigned char riblet_link_js[] = {
#embed "../../web/riblet-link.js"
};
static const unsigned char riblet_shown_js[] = {
#embed "../../web/riblet-shown.js"
};
static const unsigned char riblet_events_js[] = {
#embed "../../web/riblet-events.js"
};
static const unsigned char riblet_check_js[] = {
#embed "../../web/riblet-check.js"
};
static const unsigned char riblet_check_d_ts[] = {
#embed "../../web/riblet-check.d.ts"
};
static const unsigned char riblet_indexeddb_js[] = {
#embed "../../web/riblet-indexeddb.js"
};
static const unsigned char riblet_indexeddb_d_ts[] = {
#embed "../../web/riblet-indexeddb.d.ts"
};
static const unsigned char riblet_react_js[] = {
#embed "../../web/riblet-react.js"
};
static const unsigned char riblet_react_d_ts[] = {
#embed "../../web/riblet-react.d.ts"
};
static const unsigned char riblet_vue_js[] = {
#embed "../../web/riblet-vue.js"
};
static const unsigned char riblet_vue_d_ts[] = {
#embed "../../web/riblet-vue.d.ts"
};
static const unsigned char riblet_d_ts[] = {
#embed "../../web/riblet.d.ts"
};
static const unsigned char render_js[] = {
#embed "../../web/render.js"
};
static const unsigned char render_tree_js[] = {
#embed "../../web/render-tree.js"
};
static const unsigned char render_props_js[] = {
#embed "../../web/render-props.js"
};
static const unsigned char render_routes_js[] = {
#embed "../../web/render-routes.js"
};
static const unsigned char render_history_js[] = {
#embed "../../web/render-history.js"
};
static const unsigned char render_window_js[] = {
#embed "../../web/render-window.js"
};
static const unsigned char render_transitions_js[] = {
#embed "../../web/render-transitions.js"
};
static const unsigned char render_d_ts[] = {
#embed "../../web/render.d.ts"
};
static const unsigned char generic_js[] = {
#embed "../../web/generic.js"
};
static const unsigned char generic_d_ts[] = {
#embed "../../web/generic.d.ts"
};
static const unsigned char index_html[] = {
#embed "../../web/index.html"
};
static const unsigned char showcase_css[] = {
#embed "../../web/showcase.css"
};
static const unsigned char views_parts_js[] = {
#embed "../../web/views-parts.js"
};
static const unsigned char views_navigation_js[] = {
#embed "../../web/views-navigation.js"
};
static const unsigned char views_services_js[] = {
#embed "../../web/views-services.js"
};
static const unsigned char views_catalog_js[] = {
#embed "../../web/views-catalog.js"
};
static const unsigned char apps_css[] = {
#embed "../../web/apps.css"
};
static const unsigned char inspector_css[] = {
#embed "../../web/inspector.css"
};
static const unsigned char showcase_js[] = {
#embed "../../web/showcase.js"
};
static const unsigned char apps_js[] = {
#embed "../../web/apps.js"
};
static const unsigned char inspector_js[] = {
#embed "../../web/inspector.js"
};
static const unsigned char elements_js[] = {
#embed "../../web/elements.js"
};
static const unsigned char inspector_link_js[] = {
#embed "../../web/inspector-link.js"
};
static const unsigned char inspector_wire_js[] = {
#embed "../../web/inspector-wire.js"
};
static const unsigned char inspector_views_js[] = {
#embed "../../web/inspector-views.js"
};
static const unsigned char focus_js[] = {
#embed "../../web/focus.js"
};
static const unsigned char link_line_js[] = {
#embed "../../web/link-line.js"
};
static const unsigned char handoff_js[] = {
#embed "../../web/handoff.js"
};
static const unsigned char sign_in_js[] = {
#embed "../../web/sign-in.js"
};
static const unsigned char favicon_svg[] = {
#embed "../../web/favicon.svg"
};
static const unsigned char qrcode_js[] = {
#embed "../../web/vendor/qrcode.js"
};

#define CLIENT(name, bytes) {name, bytes, sizeof(bytes), true}
#define PAGE(name, bytes) {name, bytes, sizeof(bytes), false}

static const struct web_file files[] = {
    CLIENT("riblet.js", riblet_js),
    CLIENT("riblet-core.js", riblet_core_js),
    CLIENT("riblet-entry.js", riblet_entry_js),
    CLIENT("riblet-link.js", riblet_link_js),
    CLIENT("riblet-shown.js", riblet_shown_js),
    CLIENT("riblet-events.js", riblet_events_js),
    CLIENT("riblet-check.js", riblet_check_js),
    CLIENT("riblet-check.d.ts", riblet_check_d_ts),
    CLIENT("riblet-indexeddb.js", riblet_indexeddb_js),
    CLIENT("riblet-indexeddb.d.ts", riblet_indexeddb_d_ts),
    CLIENT("riblet-react.js", riblet_react_js),
    CLIENT("riblet-react.d.ts", riblet_react_d_ts),
    CLIENT("riblet-vue.js", riblet_vue_js),
    CLIENT("riblet-vue.d.ts", riblet_vue_d_ts),
    CLIENT("riblet.d.ts", riblet_d_ts),
    CLIENT("render.js", render_js),
    CLIENT("render-tree.js", render_tree_js),
    CLIENT("render-props.js", render_props_js),
    CLIENT("render-routes.js", render_routes_js),
    CLIENT("render-history.js", render_history_js),
    CLIENT("render-window.js", render_window_js),
    CLIENT("render-transitions.js", render_transitions_js),
    CLIENT("render.d.ts", render_d_ts),
    CLIENT("generic.js", generic_js),
    CLIENT("generic.d.ts", generic_d_ts),
    PAGE("index.html", index_html),
    PAGE("showcase.css", showcase_css),
    PAGE("views-parts.js", views_parts_js),
    PAGE("views-navigation.js", views_navigation_js),
    PAGE("views-services.js", views_services_js),
    PAGE("views-catalog.js", views_catalog_js),
    PAGE("apps.css", apps_css),
    PAGE("inspector.css", inspector_css),
    PAGE("showcase.js", showcase_js),
    PAGE("apps.js", apps_js),
    PAGE("inspector.js", inspector_js),
    PAGE("elements.js", elements_js),
    PAGE("inspector-link.js", inspector_link_js),
    PAGE("inspector-wire.js", inspector_wire_js),
    PAGE("inspector-views.js", inspector_views_js),
    PAGE("focus.js", focus_js),
    PAGE("link-line.js", link_line_js),
    PAGE("handoff.js", handoff_js),
    PAGE("sign-in.js", sign_in_js),
    PAGE("favicon.svg", favicon_svg),
    PAGE("vendor/qrcode.js", qrcode_js),
};

const struct web_file *web_file_at(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
