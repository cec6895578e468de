/*
 * The rooms of the house and who may look into which: arrows only go down. `npm run lint` checks it, types included.
 */
const GROUND = 'kernel|query|observability|tracing|configuration|settings'
const FOUNDATIONS = 'audit|auth|bus|database|http|jobs|openapi|outbox|records|signals'

/*
 * What each room of app/ and each package imports. Everything not named here is forbidden. Every room may use the ground.
 */
const rooms = {
  'audit': '',
  'database': '',
  'signals': '',
  'jobs': '',
  'bus': 'database|records',
  'http': 'audit|signals',
  'openapi': 'http',
  'records': 'audit|database|http|jobs',
  'auth': 'client|http|jobs|records|signals',
  'shipping': 'bus',
  'outbox': 'audit|bus|database|jobs|records|signals',
  'realtime': 'auth|http|signals',
  'core|storage|telemetry|identity': `${FOUNDATIONS}|oci`,
  // Talks to the services over HTTP with the token of its user, and looks into none of their rooms.
  'console': 'auth|client|http|jobs|openapi|records|signals',
  // Its relay serves sockets itself, on the connections that those of core have.
  'messenger': `${FOUNDATIONS}|realtime`,
  // Images, and the registries and folders that keep them; it knows nothing of the platform.
  'oci': '',
  // Requests to the interface of a hub; it runs in other programs and in browsers, too.
  'client': '',
  // Talks to the platform over the bus and HTTP as one of somebody else would, and looks into none of its rooms.
  'worker': 'bus|client|jobs|oci|shipping',
  // Runs analyses beside a hub; it knows of the hub what its public interface shows.
  'node': 'client|oci',
  'hubctl': 'client|oci',
  // It looks at everything, and nothing knows of it but its command.
  'doctor': `${FOUNDATIONS}|core|storage|telemetry|identity`,
  // Stands on all surfaces, whose tables it fills.
  'adopt': 'database|jobs|records|core|storage|telemetry|messenger',
  // Takes with it what all surfaces keep, and knows of their rooms what stands outside of tables.
  'backup': 'database|jobs|storage|telemetry',
}

const ground = {
  kernel: '',
  query: '',
  configuration: '',
  observability: 'kernel',
  tracing: 'kernel',
  settings: 'configuration',
}

/** In the repository they have their program built before they start it. */
const ENTRY = '^packages/(hubctl/hubctl|node/hub-node)\\.js$'

const only = (room, allowed) => ({
  name: `room-${room.replaceAll('|', '-')}`,
  severity: 'error',
  comment: `${room} imports only itself and what lies below it`,
  from: { path: `^(?:app|packages)/(${room})/`, pathNot: ENTRY },
  to: {
    path: '^(app|packages|start|providers|commands|config|database|bin|tests)/',
    pathNot: `^(?:app|packages)/(${[room.includes('|') ? '$1' : room, ...allowed].filter(Boolean).join('|')})/`,
  },
})

module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      comment: 'Files that import each other cannot be read one after the other',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(rooms).map(([room, allowed]) => only(room, [GROUND, allowed])),
    ...Object.entries(ground).map(([room, allowed]) => only(room, [allowed])),
    {
      name: 'relay-can-be-removed',
      severity: 'error',
      comment: 'The rest of messenger works without the socket relay, and without sockets',
      from: { path: '^app/messenger/', pathNot: '^app/messenger/relay/' },
      to: { path: '^app/(messenger/relay|realtime)/' },
    },
    {
      name: 'packages-stand-alone',
      severity: 'error',
      comment: 'A package imports other packages, never the service',
      from: { path: '^packages/', pathNot: ENTRY },
      to: { path: '^(app|start|providers|commands|config|database|bin)/' },
    },
    {
      name: 'packages-list-their-dependencies',
      severity: 'error',
      comment: 'What a package imports stands in the dependencies of its package.json',
      from: { path: '^packages/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'embedded-database-stands-alone',
      severity: 'error',
      comment: 'database/embedded knows nothing of the application',
      from: { path: '^database/embedded/' },
      to: {
        path: '^(app|packages|start|providers|commands|config|bin|tests|database/migrations)/',
      },
    },
    {
      name: 'environment-stays-outside',
      severity: 'error',
      comment:
        'Rooms get settings: config/ makes them of the environment, and <room>_settings.ts names them',
      from: { path: '^(app|packages)/' },
      to: { path: '^start/env\\.ts$' },
    },
    {
      name: 'environment-looks-down',
      severity: 'error',
      comment:
        'start/env.ts is read by config/ and providers/, so it knows only how variables are described',
      from: { path: '^start/env\\.ts$' },
      to: {
        path: '^(app|packages|start|providers|config)/',
        pathNot: '^packages/configuration/',
      },
    },
    {
      name: 'runtime-is-the-roof',
      severity: 'error',
      comment: 'Only programs start processes',
      from: { path: '^(app|packages|start|providers|config)/', pathNot: '^app/runtime/' },
      to: { path: '^app/runtime/' },
    },
    {
      name: 'programs-without-tests',
      severity: 'error',
      from: { path: '^(app|packages|start|providers|commands|config|database)/' },
      to: { path: '^tests/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    webpackConfig: { fileName: '.dependency-cruiser.resolve.cjs' },
  },
}
