import { availableParallelism } from 'node:os'

import type { Values } from './catalogue.js'
import { defineVariables, derived } from './catalogue.js'
import { imageReferences, repositoryAddress } from './image_readers.js'
import { hostsAndPorts, keys, listOf, origins, proxies } from './list_readers.js'
import { databaseParts, minioPart, connectionAlias } from './aliases.js'
import { embeddedSurfaces, JOBS, SURFACES } from './processes.js'
import { bytes, flag, host, integer, oneOf, text } from './readers.js'
import { baseUrl, connectionUrl, harborAccess } from './url_readers.js'

interface Mode {
  NODE_ENV: 'development' | 'test' | 'production'
}

const database = () => connectionUrl('postgres', 'postgresql')
const formerDatabase = () => connectionUrl('postgres', 'postgresql', 'mysql', 'mariadb')

/** Every variable of the environment, in the groups in which they are documented. */
export const groups = defineVariables({
  'Processes': {
    NODE_ENV: {
      reader: oneOf('development', 'test', 'production'),
      default: 'development',
      description:
        'How strict the process is with itself; production refuses everything that is only good for trying out.',
    },
    SURFACES: {
      reader: listOf(SURFACES, { auth: 'identity' }),
      defaultKeyword: 'all',
      default: derived('all', ({ IDENTITY_URL }: { IDENTITY_URL?: string }) =>
        embeddedSurfaces(IDENTITY_URL).join()
      ),
      description:
        'Surfaces this process serves; identity (also written auth) is part of all only where IDENTITY_URL is unset.',
    },
    JOBS: {
      reader: listOf(JOBS),
      defaultKeyword: 'all',
      default: JOBS.join(),
      description: 'Background work this process takes on.',
    },
    HOST: {
      reader: host(),
      default: derived('127.0.0.1, in production 0.0.0.0', ({ NODE_ENV }: Mode) =>
        NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'
      ),
      description: 'Address the HTTP server listens on.',
    },
    PORT: {
      reader: integer(0, 65535),
      default: '3000',
      description: 'Port of the HTTP server; 0 takes any free one.',
    },
    ADMIN_PORT: {
      reader: integer(0, 65535),
      default: derived('PORT + 9', ({ PORT }: { PORT: number }) =>
        String(PORT === 0 ? 0 : PORT + 9)
      ),
      description:
        'Port for health checks and metrics, to be kept away from the public; 0 takes any free one.',
    },
    ADMIN_HOST: {
      reader: host(),
      default: '127.0.0.1',
      description: 'Address of ADMIN_PORT; every program that reaches it reads the metrics.',
    },
    HEALTH_HOST: {
      reader: host(),
      example: '0.0.0.0',
      description:
        'Address at which ADMIN_PORT answers health checks, and nothing else, beside ADMIN_HOST.',
    },
    PUBLIC_URL: {
      reader: baseUrl(),
      default: derived(
        'http://localhost:PORT',
        ({ PORT }: { PORT: number }) => `http://localhost:${PORT}`
      ),
      description:
        'Address under which others reach this installation; links, hooks and token issuers are made from it.',
    },
    POOL_WEB: {
      reader: integer(1, 256),
      default: derived('as many as there are processors', () => String(availableParallelism())),
      description: 'Web processes of the worker pool.',
    },
    POOL_JOBS: {
      reader: integer(0, 256),
      default: '1',
      description: 'Processes of the worker pool that do background work.',
    },
    LOG_LEVEL: {
      reader: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      default: 'info',
      description: 'The least important log lines that are still written.',
    },
    LOG_SHIP_LEVEL: {
      reader: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'off'),
      default: 'warn',
      description:
        'The least important of these that telemetry keeps as well, where they can be looked up; off for none.',
    },
    DATA_DIR: {
      reader: text({ type: 'a folder' }),
      default: '.data',
      description: 'Folder of everything the embedded drivers keep.',
    },
  },

  'Database': {
    DATABASE_URL: {
      reader: database(),
      defaultKeyword: 'embedded',
      example: 'postgres://hub:change-me@127.0.0.1:5432/hub',
      secret: true,
      aliases: [databaseParts],
      description: 'PostgreSQL database of every surface that has none of its own.',
    },
    CORE_DATABASE_URL: {
      reader: database(),
      secret: true,
      description: 'Database of the core surface.',
    },
    STORAGE_DATABASE_URL: {
      reader: database(),
      secret: true,
      description: 'Database of the storage surface.',
    },
    TELEMETRY_DATABASE_URL: {
      reader: database(),
      secret: true,
      description: 'Database of the telemetry surface.',
    },
    MESSENGER_DATABASE_URL: {
      reader: database(),
      secret: true,
      description: 'Database of the messenger surface.',
    },
    IDENTITY_DATABASE_URL: {
      reader: database(),
      secret: true,
      description: 'Database of the embedded identity provider.',
    },
    DB_POOL: {
      reader: { ...integer(2, 1000), type: 'an integer from 2 to 1000: a sweep needs two at once' },
      default: '10',
      description: 'Connections each process keeps at most to one database.',
    },
  },

  'Former platform': {
    FORMER_CORE_DATABASE_URL: {
      reader: formerDatabase(),
      secret: true,
      example: 'mysql://hub:change-me@127.0.0.1:3306/core',
      description: 'Database of the core service of an existing installation, for hub:adopt.',
    },
    FORMER_STORAGE_DATABASE_URL: {
      reader: formerDatabase(),
      secret: true,
      description: 'Database of its storage service.',
    },
    FORMER_TELEMETRY_DATABASE_URL: {
      reader: formerDatabase(),
      secret: true,
      description: 'Database of its telemetry service.',
    },
    FORMER_MESSENGER_DATABASE_URL: {
      reader: formerDatabase(),
      secret: true,
      description: 'Database of its messenger service.',
    },
    FORMER_DATABASE_PASSWORD: {
      reader: text(),
      secret: true,
      description:
        'Password for those of them that are named on the command line, where no password may be.',
    },
  },

  'Message bus and signals': {
    AMQP_URL: {
      reader: connectionUrl('amqp', 'amqps'),
      defaultKeyword: 'memory',
      example: 'amqp://hub:change-me@127.0.0.1:5672',
      secret: true,
      aliases: [connectionAlias('RABBITMQ_CONNECTION_STRING', 'amqp://root:start123@127.0.0.1')],
      description: 'RabbitMQ server that carries commands and events.',
    },
    REDIS_URL: {
      reader: connectionUrl('redis', 'rediss'),
      defaultKeyword: 'memory',
      example: 'redis://:change-me@127.0.0.1:6379',
      secret: true,
      aliases: [connectionAlias('REDIS_CONNECTION_STRING', 'redis://127.0.0.1')],
      description: 'Redis server for signals between processes and for shared caches.',
    },
    REALTIME_ENABLED: {
      reader: flag(),
      default: 'true',
      description: 'Tells connected clients of changes, at /socket.io of the core surface.',
    },
  },

  'Objects': {
    S3_ENDPOINT: {
      reader: baseUrl(),
      aliases: [minioPart('endpoint')],
      example: 'http://127.0.0.1:9000',
      description: 'S3 server that keeps the files; unset, they are kept in STORAGE_PATH.',
    },
    S3_REGION: { reader: text(), default: 'us-east-1', description: 'Region of the S3 server.' },
    S3_ACCESS_KEY: {
      reader: text(),
      secret: true,
      aliases: [minioPart('accessKey')],
      description: 'Access key for the S3 server.',
    },
    S3_SECRET_KEY: {
      reader: text(),
      secret: true,
      aliases: [minioPart('secretKey')],
      description: 'Secret key for the S3 server.',
    },
    S3_FORCE_PATH_STYLE: {
      reader: flag(),
      default: 'true',
      description: 'Puts the bucket into the path of an S3 address instead of the host name.',
    },
    S3_BUCKET: {
      reader: text({ shape: /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/, type: 'the name of an S3 bucket' }),
      description:
        'One S3 bucket for all files, each bucket of ours under a prefix; unset, each is an S3 bucket of its own.',
    },
    STORAGE_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/objects',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/objects`
      ),
      description: 'Folder of the files where no S3 server is named.',
    },
    UPLOAD_MAX_BYTES: {
      reader: bytes(),
      default: '0',
      description: 'Largest file of an upload; 0 is no limit.',
    },
    UPLOAD_MAX_FILES: {
      reader: integer(0, 1_000_000),
      default: '0',
      description: 'Most files in one upload; 0 is no limit.',
    },
    STORAGE_STRICT_REALM: {
      reader: flag(),
      default: 'true',
      description:
        'Closes buckets to clients and robots of other realms, except where an approved node of theirs takes part in the analysis; false lets them all in.',
    },
  },

  'Backup': {
    BACKUP_S3_ENDPOINT: {
      reader: baseUrl(),
      example: 'http://127.0.0.1:9000',
      description:
        'S3 server of backups whose place is s3://…; unset, it is that of S3_ENDPOINT, with its keys.',
    },
    BACKUP_S3_REGION: {
      reader: text(),
      default: 'us-east-1',
      description: 'Region of that server.',
    },
    BACKUP_S3_ACCESS_KEY: {
      reader: text(),
      secret: true,
      description: 'Access key for that server.',
    },
    BACKUP_S3_SECRET_KEY: {
      reader: text(),
      secret: true,
      description: 'Secret key for that server.',
    },
    BACKUP_S3_FORCE_PATH_STYLE: {
      reader: flag(),
      default: 'true',
      description:
        'Puts the bucket into the path of an address of that server instead of the host name.',
    },
  },

  'Identity': {
    IDENTITY_URL: {
      reader: baseUrl(),
      aliases: ['AUTHUP_URL'],
      example: 'http://127.0.0.1:3010',
      description: 'OAuth 2.0 identity provider; unset, the embedded one is used.',
    },
    IDENTITY_EMBEDDED: {
      reader: flag(),
      default: derived(
        'true where IDENTITY_URL is unset',
        ({ IDENTITY_URL }: { IDENTITY_URL?: string }) => String(IDENTITY_URL === undefined)
      ),
      description: 'Asks for the embedded identity provider by name.',
    },
    IDENTITY_ADMIN_PASSWORD: {
      reader: text(),
      default: derived(
        'start123 where HOST is this machine only, elsewhere a random one, kept in DATA_DIR/admin.password; in production none',
        () => undefined
      ),
      secret: true,
      description:
        'First password of the user admin of the embedded provider; required in production where that is served.',
    },
    IDENTITY_GONE_AT_ONCE: {
      reader: integer(1, 1_000_000),
      default: '5',
      description:
        'Realms, users or clients that may be found gone from the provider at once; more is taken for a mistake, and nothing is removed.',
    },
    IDENTITY_INTROSPECTION_AUTH: {
      reader: oneOf('none', 'basic'),
      default: 'none',
      description: 'How we identify ourselves when we ask the provider about a token.',
    },
    IDENTITY_CLAIM_REALM_ID: {
      reader: text(),
      default: 'realm_id',
      description: 'Claim that holds the realm id, for providers with names of their own.',
    },
    IDENTITY_CLAIM_REALM_NAME: {
      reader: text(),
      default: 'realm_name',
      description: 'Claim that holds the realm name.',
    },
    IDENTITY_CLAIM_KIND: {
      reader: text(),
      default: 'sub_kind',
      description: 'Claim that tells users, clients and robots apart.',
    },
    IDENTITY_CLAIM_PERMISSIONS: {
      reader: text(),
      default: 'permissions',
      description: 'Claim that lists the permissions.',
    },
    CLIENT_ID: {
      reader: text(),
      default: 'system',
      description: 'Client as which the hub itself calls the provider.',
    },
    CLIENT_SECRET: {
      reader: text(),
      default: derived(
        'start123 where HOST is this machine only or IDENTITY_URL is set, elsewhere a random one, kept in DATA_DIR/system.secret; in production none',
        () => undefined
      ),
      secret: true,
      requiredInProduction: true,
      description: 'Secret of that client.',
    },
    REALM: {
      reader: text(),
      default: 'master',
      description: 'Realm of that client, by name or id.',
    },
    ACCESS_TOKEN_SECONDS: {
      reader: integer(60, 86_400),
      default: '900',
      description: 'How long an access token of the embedded provider is good.',
    },
    REFRESH_TOKEN_SECONDS: {
      reader: integer(600, 31_536_000),
      default: '259200',
      description:
        'How long a session lasts that nobody renews, and so a refresh token of the embedded provider.',
    },
    UI_ORIGINS: {
      reader: origins(),
      default: 'none',
      example: 'https://ui.example.org',
      description:
        'Web interfaces that users sign in to through the embedded provider; outside production those on this machine are allowed as well.',
    },
    LOGOUT_ORIGINS: {
      reader: origins(),
      default: 'none',
      example: 'https://app.example.org',
      description:
        'Programs that the embedded provider tells of ended sessions at the backchannelLogoutUri of their client, beside those of UI_ORIGINS; outside production any.',
    },
    COOKIE_PREFIX: {
      reader: text({
        min: 0,
        shape: /^[\w!#$%&'*+.^`|~-]*$/,
        type: 'characters allowed in a cookie name',
      }),
      default: '',
      description:
        'Put in front of access_token, without a separator, to name the session cookie; the same for all surfaces.',
    },
    APP_KEY: {
      reader: text({ min: 32 }),
      example: 'replace-me-by-32-or-more-random-characters',
      secret: true,
      requiredInProduction: true,
      description:
        'Key that encrypts stored secrets and signs the audit trail; elsewhere a random one is kept in DATA_DIR.',
    },
    APP_KEY_PREVIOUS: {
      reader: keys(),
      default: 'none',
      secret: true,
      description:
        'Other keys with which what is stored can still be read: those before APP_KEY, or while processes are replaced the one to come.',
    },
    IMAGE_SIGNING_KEY: {
      reader: text({ type: 'a file' }),
      example: '/etc/analysis-hub/images.key',
      description:
        'PEM file with the ECDSA key on P-256 that images are signed with, the same for core and workers; unset, it follows from APP_KEY.',
    },
  },

  'Surfaces elsewhere': {
    CORE_URL: { reader: baseUrl(), description: 'Core surface, where another process serves it.' },
    STORAGE_URL: {
      reader: baseUrl(),
      description: 'Storage surface, where another process serves it.',
    },
    TELEMETRY_URL: {
      reader: baseUrl(),
      description: 'Telemetry surface, where another process serves it.',
    },
    MESSENGER_URL: {
      reader: baseUrl(),
      description:
        'Messenger surface, where another process serves it; the others have nothing to ask of it, so this only has to be an address.',
    },
  },

  'Approvals and registry': {
    SKIP_PROJECT_APPROVAL: {
      reader: flag(),
      default: 'false',
      description: 'Lets analyses go ahead without an approval of their project; start-up warns.',
    },
    SKIP_ANALYSIS_APPROVAL: {
      reader: flag(),
      default: 'false',
      description: 'Lets analyses go ahead without an approval of their own; start-up warns.',
    },
    WORKER_SILENCE_SECONDS: {
      reader: integer(1, 30 * 24 * 60 * 60),
      default: '900',
      description:
        'Seconds after which a worker that tells nothing of a build or distribution is asked, and after as many again given up.',
    },
    STORAGE_GONE_AT_ONCE: {
      reader: integer(1, 1_000_000),
      default: '5',
      description:
        'Buckets of analyses that may be found gone from storage at once; more is taken for a mistake, and nothing is changed.',
    },
    HARBOR_URL: {
      reader: harborAccess(),
      example: 'admin:change-me@harbor.example.org',
      secret: true,
      description:
        'Harbor registry that is entered as the registry named default; the password is taken literally.',
    },
    REGISTRY_HOSTS: {
      reader: hostsAndPorts(),
      example: 'harbor.example.org,harbor.example.org:8443',
      description:
        'The only hosts a registry may have or lead to, besides that of HARBOR_URL; unset, any but, in production, this machine and private networks.',
    },
    REGISTRY_INSECURE: {
      reader: hostsAndPorts(),
      default: 'none',
      description: 'Hosts of registries whose certificate is not verified, nor is ours by them.',
    },
  },

  'Master images': {
    MASTER_IMAGES_OWNER: {
      reader: text({ shape: /^[\w.-]+$/, type: 'the name of an account' }),
      default: 'PrivateAim',
      description: 'Account at GitHub whose repository master images are synchronized with.',
    },
    MASTER_IMAGES_REPOSITORY: {
      reader: text({ shape: /^[\w.-]+$/, type: 'the name of a repository' }),
      default: 'master-images',
      description: 'That repository.',
    },
    MASTER_IMAGES_BRANCH: {
      reader: text({ shape: /^[\w./-]+$/, type: 'the name of a branch' }),
      default: 'master',
      description: 'Branch of it that is read.',
    },
    IMAGE_SOURCE: {
      reader: listOf(['git', 'archive', 'registry']),
      default: derived('git, without AMQP_URL archive', ({ AMQP_URL }: { AMQP_URL?: string }) =>
        AMQP_URL === undefined ? 'archive' : 'git'
      ),
      description:
        'Where this worker takes master images from: git, the repository; archive, what was imported into IMAGES_PATH; registry, MASTER_IMAGES_REFERENCES. Of two with one name, the one that stands first here counts.',
    },
    MASTER_IMAGES_URL: {
      reader: repositoryAddress(),
      default: 'https://api.github.com/repos/{owner}/{repository}/tarball/{branch}',
      description:
        'Address of the repository as an archive (.tar.gz), which may be a mirror; or the folder, or the archive on this machine, that has its files.',
    },
    MASTER_IMAGES_TOKEN: {
      reader: text(),
      example: 'github_pat_change-me',
      secret: true,
      description: 'Token that is shown at MASTER_IMAGES_URL, and nowhere it leads to.',
    },
    MASTER_IMAGES_REFERENCES: {
      reader: imageReferences(),
      default: 'none',
      example: 'python/base=docker.io/library/python:3.12-slim',
      description:
        'Images of other registries that are taken as they are, each under a path of ours.',
    },
    MASTER_IMAGES_MIRROR: {
      reader: text({
        shape: /^[\w.-]+(:\d{1,5})?\/[\w.:/{}-]+$/,
        type: 'an image with {virtualPath} in it',
      }),
      example: 'registry.example.org/master/{virtualPath}:latest',
      description:
        'Where images with a Dockerfile are taken from when nothing here can build them.',
    },
    BUILDAH: {
      reader: text({ type: 'the name or path of a program, or none' }),
      default: 'buildah',
      description:
        'Program that builds images with a Dockerfile, if it is there; none to have nothing built.',
    },
    BUILDAH_ISOLATION: {
      reader: oneOf('chroot', 'rootless', 'oci'),
      default: 'chroot',
      description:
        'How what a Dockerfile runs is kept apart; rootless and oci need crun or runc, and rights that containers seldom have.',
    },
    BUILDAH_STORAGE: {
      reader: oneOf('auto', 'overlay', 'vfs'),
      default: 'auto',
      description:
        'How layers are kept while a build runs: overlay, which takes less room, vfs, which works everywhere, or auto, the first that does.',
    },
    BUILDS_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/builds',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/builds`
      ),
      description: 'Folder in which each build of a master image has one of its own while it runs.',
    },
  },

  'Worker': {
    IMAGES_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/images',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/images`
      ),
      description: 'Folder of images, as an OCI layout, for installations without a registry.',
    },
    WORKER_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/worker',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/worker`
      ),
      description:
        'Folder in which a worker notes what it is at, so that after its death nothing of that stays behind: it has to outlive the process, and several workers may share it.',
    },
    WORKER_CLIENT_ID: {
      reader: text(),
      default: derived(
        'worker where the identity provider is embedded, else CLIENT_ID',
        ({ IDENTITY_URL, CLIENT_ID }: { IDENTITY_URL?: string; CLIENT_ID: string }) =>
          IDENTITY_URL === undefined ? 'worker' : CLIENT_ID
      ),
      description: 'Client as which the worker calls core and storage.',
    },
    WORKER_CLIENT_SECRET: {
      reader: text(),
      default: derived(
        'one that is made of APP_KEY where the identity provider is embedded, else CLIENT_SECRET',
        ({ IDENTITY_URL, CLIENT_SECRET }: { IDENTITY_URL?: string; CLIENT_SECRET?: string }) =>
          IDENTITY_URL === undefined ? undefined : CLIENT_SECRET
      ),
      secret: true,
      description: 'Secret of that client.',
    },
    WORKER_CONCURRENCY: {
      reader: integer(1, 64),
      default: '2',
      description:
        'Builds, distributions and master images each that a worker works at side by side.',
    },
    WORKER_JOB_SECONDS: {
      reader: integer(1, 1_740),
      default: '1500',
      description: 'Seconds one of them may take; brokers take back what is held for half an hour.',
    },
  },

  'Telemetry': {
    EVENT_RETENTION_DAYS: {
      reader: integer(0, 36_500),
      default: '7',
      description:
        'Days an audit event from the bus is kept unless its sender says otherwise; 0 keeps it forever.',
    },
    LOGSTORE_URL: {
      reader: baseUrl(),
      defaultKeyword: 'memory',
      aliases: ['VICTORIA_LOGS_URL'],
      example: 'http://127.0.0.1:9428',
      description: 'Log store with the VictoriaLogs API.',
    },
    LOGSTORE_INGESTOR_URL: {
      reader: baseUrl(),
      aliases: ['VICTORIA_LOGS_INGESTOR_URL'],
      description: 'Where log lines are written, if not at LOGSTORE_URL.',
    },
    LOGSTORE_QUERIER_URL: {
      reader: baseUrl(),
      aliases: ['VICTORIA_LOGS_QUERIER_URL'],
      description: 'Where log lines are looked up, if not at LOGSTORE_URL.',
    },
    LOGSTORE_RETENTION_DAYS: {
      reader: integer(1, 36_500),
      default: '7',
      description:
        'Days the log store keeps lines, as it was told when it was started; older ones are refused instead of lost.',
    },
    LOGSTORE_MEMORY_LINES: {
      reader: integer(1, 10_000_000),
      default: '10000',
      description: 'Log lines the memory store holds before it drops the oldest.',
    },
    LOGSTORE_MEMORY_BYTES: {
      reader: bytes(1024),
      default: '64MiB',
      description: 'Size at which the memory store drops the oldest log lines.',
    },
  },

  'Messenger': {
    MESSAGE_MAX_RECIPIENTS: {
      reader: integer(1, 100_000),
      default: '1000',
      description: 'Recipients one message may have.',
    },
    MESSAGE_MAX_BYTES: { reader: bytes(1), default: '1MiB', description: 'Largest message.' },
    MAILBOX_MAX_BYTES: {
      reader: bytes(),
      default: '1GiB',
      description: 'Undelivered messages one recipient may have, by size; 0 is no limit.',
    },
    SENDER_MAX_BYTES: {
      reader: bytes(),
      default: '256MiB',
      description:
        'Undelivered messages of one sender, by size, what went to several recipients counted once; 0 is no limit.',
    },
    SENDER_MAX_MESSAGES: {
      reader: integer(0, 1_000_000_000),
      default: '50000',
      description: 'Undelivered messages of one sender, one for each recipient; 0 is no limit.',
    },
    LEGACY_SOCKET_RELAY: {
      reader: flag(),
      default: 'true',
      description:
        'Serves the older socket relay, with presence and wakeups, at /socket.io of the messenger surface.',
    },
  },

  'Web and limits': {
    RATE_LIMIT_USER: {
      reader: integer(0, 1_000_000_000),
      default: '6000',
      description: 'Requests per minute of one user; 0 is no limit.',
    },
    RATE_LIMIT_CLIENT: {
      reader: integer(0, 1_000_000_000),
      default: '60000',
      description: 'Requests per minute of one client or robot; 0 is no limit.',
    },
    RATE_LIMIT_ANONYMOUS: {
      reader: integer(0, 1_000_000_000),
      default: '1200',
      description: 'Requests per minute of one address without a login; 0 is no limit.',
    },
    HEADERS_MAX_SECONDS: {
      reader: integer(1, 3600),
      default: '15',
      description: 'Seconds the head of a request may take to arrive.',
    },
    REQUEST_MAX_SECONDS: {
      reader: integer(1, 86_400),
      default: '60',
      description:
        'Seconds the body of a request may take to arrive; an upload may take longer as long as it moves.',
    },
    CONNECTIONS_MAX: {
      reader: integer(0, 1_000_000),
      default: '10000',
      description:
        'Connections the HTTP server of a process, or of a whole pool, keeps at once; 0 is no limit.',
    },
    CONNECTIONS_MAX_PER_ADDRESS: {
      reader: integer(0, 1_000_000),
      default: '1000',
      description:
        'Connections one address may have of these; 0 is no limit. Those of TRUSTED_PROXIES have none: behind them it is the limit of streams, long polls and sockets of one client address.',
    },
    STREAMS_MAX_PER_IDENTITY: {
      reader: integer(0, 1_000_000),
      default: '64',
      description:
        'Streams and long polls that one user, client or robot may have in a process; 0 is no limit.',
    },
    STREAMS_MAX_PER_REALM: {
      reader: integer(0, 1_000_000),
      default: '4096',
      description:
        'Streams and long polls that a realm other than master may have in a process; 0 is no limit.',
    },
    TRUSTED_PROXIES: {
      reader: proxies(),
      default: 'loopback',
      description: 'Proxies whose forwarded client address is believed.',
    },
    CORS_ORIGINS: {
      reader: origins(),
      default: 'none',
      example: 'https://hub.example.org',
      description:
        'Web origins that may send credentials; with none named, production lets no origin do so and other modes those of this machine (localhost, 127.0.0.1).',
    },
    DOCS_ENABLED: {
      reader: flag(),
      default: derived('true, in production false', ({ NODE_ENV }: Mode) =>
        String(NODE_ENV !== 'production')
      ),
      description: 'Serves the API documentation at /docs without a login.',
    },
  },

  'Observability': {
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      reader: baseUrl(),
      example: 'http://127.0.0.1:4318',
      description: 'OpenTelemetry collector that receives traces; unset, none are recorded.',
    },
  },
})

/** The values of all variables. */
export type Env = Values<typeof groups>
