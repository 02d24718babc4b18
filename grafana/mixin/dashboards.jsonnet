// The dashboards as files: `jsonnet -m FOLDER dashboards.jsonnet`.
(import 'mixin.libsonnet').grafanaDashboards
