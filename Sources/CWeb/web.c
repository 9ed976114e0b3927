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
static const unsigned char riblet_streams_js[] = {
#embed "../../web/riblet-streams.js"
};
static const unsigned char riblet_worker_js[] = {
#embed "../../web/riblet-worker.js"
};
static const unsigned char riblet_check_js[] = {
#embed "../../web/riblet-check.js"
};
static const unsigned char riblet_check_d_ts[] = {
#embed "../../web/riblet-check.d.ts"
};
static const unsigned char riblet_banner_js[] = {
#embed "../../web/riblet-banner.js"
};
static const unsigned char riblet_banner_d_ts[] = {
#embed "../../web/riblet-banner.d.ts"
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
static const unsigned char field_js[] = {
#embed "../../web/field.js"
};
static const unsigned char fields_js[] = {
#embed "../../web/fields.js"
};
static const unsigned char render_fields_js[] = {
#embed "../../web/render-fields.js"
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
static const unsigned char inspector_d_ts[] = {
#embed "../../web/inspector.d.ts"
};
static const unsigned char elements_js[] = {
#embed "../../web/elements.js"
};
static const unsigned char inspector_link_js[] = {
#embed "../../web/inspector-link.js"
};
static const unsigned char inspector_parts_js[] = {
#embed "../../web/inspector-parts.js"
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
static const unsigned char compose_js[] = {
#embed "../../web/compose.js"
};
static const unsigned char code_js[] = {
#embed "../../web/code.js"
};
static const unsigned char second_window_js[] = {
#embed "../../web/second-window.js"
};
static const unsigned char supervisor_js[] = {
#embed "../../web/supervisor.js"
};
static const unsigned char stage_js[] = {
#embed "../../web/stage.js"
};
static const unsigned char stage_return_js[] = {
#embed "../../web/stage-return.js"
};
static const unsigned char stage_wire_js[] = {
#embed "../../web/stage-wire.js"
};
static const unsigned char stage_css[] = {
#embed "../../web/stage.css"
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
static const unsigned char admin_html[] = {
#embed "../../web/admin.html"
};
static const unsigned char admin_css[] = {
#embed "../../web/admin.css"
};
static const unsigned char admin_pages_css[] = {
#embed "../../web/admin-pages.css"
};
static const unsigned char admin_chart_js[] = {
#embed "../../web/admin-chart.js"
};
static const unsigned char admin_format_js[] = {
#embed "../../web/admin-format.js"
};
static const unsigned char admin_log_js[] = {
#embed "../../web/admin-log.js"
};
static const unsigned char admin_overview_js[] = {
#embed "../../web/admin-overview.js"
};
static const unsigned char admin_parts_js[] = {
#embed "../../web/admin-parts.js"
};
static const unsigned char admin_place_js[] = {
#embed "../../web/admin-place.js"
};
static const unsigned char admin_riblets_js[] = {
#embed "../../web/admin-riblets.js"
};
static const unsigned char admin_root_js[] = {
#embed "../../web/admin-root.js"
};
static const unsigned char admin_server_js[] = {
#embed "../../web/admin-server.js"
};
static const unsigned char admin_session_js[] = {
#embed "../../web/admin-session.js"
};
static const unsigned char admin_sessions_js[] = {
#embed "../../web/admin-sessions.js"
};
static const unsigned char admin_table_js[] = {
#embed "../../web/admin-table.js"
};
static const unsigned char admin_token_js[] = {
#embed "../../web/admin-token.js"
};
static const unsigned char admin_js[] = {
#embed "../../web/admin.js"
};
// The showcase's apps, as their page shows them.
static const unsigned char boundaries_swift[] = {
#embed "../Showcase/Boundaries/Boundaries.swift"
};
static const unsigned char catalog_swift[] = {
#embed "../Showcase/Catalog/Catalog.swift"
};
static const unsigned char counter_swift[] = {
#embed "../Showcase/Counter/Counter.swift"
};
static const unsigned char counterversion2_swift[] = {
#embed "../Showcase/Counter/CounterVersion2.swift"
};
static const unsigned char counterinteractor_swift[] = {
#embed "../Showcase/CounterRIV/CounterInteractor.swift"
};
static const unsigned char home_swift[] = {
#embed "../Showcase/HomeDetail/Home.swift"
};
static const unsigned char ledger_swift[] = {
#embed "../Showcase/Ledger/Ledger.swift"
};
static const unsigned char login_swift[] = {
#embed "../Showcase/Login/Login.swift"
};
static const unsigned char members_swift[] = {
#embed "../Showcase/Members/Members.swift"
};
static const unsigned char profilenavigationrouter_swift[] = {
#embed "../Showcase/Profile/ProfileNavigationRouter.swift"
};
static const unsigned char room_swift[] = {
#embed "../Showcase/Room/Room.swift"
};
static const unsigned char screen1_swift[] = {
#embed "../Showcase/Screens/Screen1.swift"
};
static const unsigned char search_swift[] = {
#embed "../Showcase/Search/Search.swift"
};
static const unsigned char navigationcontainer_swift[] = {
#embed "../Showcase/Tabs/NavigationContainer.swift"
};

#define CLIENT(name, bytes) {name, bytes, sizeof(bytes), true, true, true}
#define SHARED(name, bytes) {name, bytes, sizeof(bytes), false, true, true}
#define SHOWCASE(name, bytes) {name, bytes, sizeof(bytes), false, true, false}
#define INSPECTOR(name, bytes) {name, bytes, sizeof(bytes), false, false, true}

static const struct web_file files[] = {
    CLIENT("riblet.js", riblet_js),
    CLIENT("riblet-core.js", riblet_core_js),
    CLIENT("riblet-entry.js", riblet_entry_js),
    CLIENT("riblet-link.js", riblet_link_js),
    CLIENT("riblet-shown.js", riblet_shown_js),
    CLIENT("riblet-events.js", riblet_events_js),
    CLIENT("riblet-streams.js", riblet_streams_js),
    CLIENT("riblet-worker.js", riblet_worker_js),
    CLIENT("riblet-check.js", riblet_check_js),
    CLIENT("riblet-check.d.ts", riblet_check_d_ts),
    CLIENT("riblet-banner.js", riblet_banner_js),
    CLIENT("riblet-banner.d.ts", riblet_banner_d_ts),
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
    CLIENT("render-fields.js", render_fields_js),
    CLIENT("field.js", field_js),
    CLIENT("fields.js", fields_js),
    CLIENT("render-routes.js", render_routes_js),
    CLIENT("render-history.js", render_history_js),
    CLIENT("render-window.js", render_window_js),
    CLIENT("render-transitions.js", render_transitions_js),
    CLIENT("render.d.ts", render_d_ts),
    CLIENT("generic.js", generic_js),
    CLIENT("generic.d.ts", generic_d_ts),
    CLIENT("elements.js", elements_js),
    CLIENT("inspector.js", inspector_js),
    CLIENT("inspector-link.js", inspector_link_js),
    CLIENT("inspector-parts.js", inspector_parts_js),
    CLIENT("inspector-views.js", inspector_views_js),
    CLIENT("inspector-wire.js", inspector_wire_js),
    CLIENT("inspector.css", inspector_css),
    CLIENT("inspector.d.ts", inspector_d_ts),
    SHOWCASE("index.html", index_html),
    SHARED("showcase.css", showcase_css),
    SHARED("views-parts.js", views_parts_js),
    SHOWCASE("views-navigation.js", views_navigation_js),
    SHOWCASE("views-services.js", views_services_js),
    SHOWCASE("views-catalog.js", views_catalog_js),
    SHOWCASE("apps.css", apps_css),
    SHOWCASE("showcase.js", showcase_js),
    SHOWCASE("apps.js", apps_js),
    SHARED("focus.js", focus_js),
    SHOWCASE("link-line.js", link_line_js),
    SHOWCASE("handoff.js", handoff_js),
    SHOWCASE("sign-in.js", sign_in_js),
    SHOWCASE("code.js", code_js),
    SHOWCASE("compose.js", compose_js),
    SHOWCASE("second-window.js", second_window_js),
    SHOWCASE("supervisor.js", supervisor_js),
    SHOWCASE("stage.js", stage_js),
    SHOWCASE("stage-return.js", stage_return_js),
    SHOWCASE("stage-wire.js", stage_wire_js),
    SHOWCASE("stage.css", stage_css),
    SHOWCASE("code/Boundaries/Boundaries.swift", boundaries_swift),
    SHOWCASE("code/Catalog/Catalog.swift", catalog_swift),
    SHOWCASE("code/Counter/Counter.swift", counter_swift),
    SHOWCASE("code/Counter/CounterVersion2.swift", counterversion2_swift),
    SHOWCASE("code/CounterRIV/CounterInteractor.swift", counterinteractor_swift),
    SHOWCASE("code/HomeDetail/Home.swift", home_swift),
    SHOWCASE("code/Ledger/Ledger.swift", ledger_swift),
    SHOWCASE("code/Login/Login.swift", login_swift),
    SHOWCASE("code/Members/Members.swift", members_swift),
    SHOWCASE("code/Profile/ProfileNavigationRouter.swift", profilenavigationrouter_swift),
    SHOWCASE("code/Room/Room.swift", room_swift),
    SHOWCASE("code/Screens/Screen1.swift", screen1_swift),
    SHOWCASE("code/Search/Search.swift", search_swift),
    SHOWCASE("code/Tabs/NavigationContainer.swift", navigationcontainer_swift),
    SHARED("favicon.svg", favicon_svg),
    SHOWCASE("vendor/qrcode.js", qrcode_js),
    INSPECTOR("index.html", admin_html),
    INSPECTOR("admin.css", admin_css),
    INSPECTOR("admin-pages.css", admin_pages_css),
    INSPECTOR("admin-chart.js", admin_chart_js),
    INSPECTOR("admin-format.js", admin_format_js),
    INSPECTOR("admin-log.js", admin_log_js),
    INSPECTOR("admin-overview.js", admin_overview_js),
    INSPECTOR("admin-parts.js", admin_parts_js),
    INSPECTOR("admin-place.js", admin_place_js),
    INSPECTOR("admin-riblets.js", admin_riblets_js),
    INSPECTOR("admin-root.js", admin_root_js),
    INSPECTOR("admin-server.js", admin_server_js),
    INSPECTOR("admin-session.js", admin_session_js),
    INSPECTOR("admin-sessions.js", admin_sessions_js),
    INSPECTOR("admin-table.js", admin_table_js),
    INSPECTOR("admin-token.js", admin_token_js),
    INSPECTOR("admin.js", admin_js),
};

const struct web_file *web_file_at(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
