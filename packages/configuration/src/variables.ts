import { availableParallelism } from 'node:os'

import type { Values } from './catalogue.js'
import { defineVariables, derived } from './catalogue.js'
import { imageReferences, repositoryAddress } from './image_readers.js'
import { hostsAndPorts, keys, listOf, origins, proxies } from './list_readers.js'
import { databaseParts, minioPart, connectionAlias } from './aliases.js'
import { embeddedSurfaces, JOBS, SERVED } from './processes.js'
import { bytes, flag, host, integer, oneOf, share, text } from './readers.js'
import {
  baseUrl,
  connectionUrl,
  databaseServers,
  harborAccess,
  redisServers,
  serversUrl,
} from './url_readers.js'

interface Mode {
  NODE_ENV: 'development' | 'test' | 'production'
}

const formerDatabase = () => connectionUrl('postgres', 'postgresql', 'mysql', 'mariadb')

/** Every variable of the environment, in the groups in which they are documented. */
export const groups = defineVariables({
  'Processes': {
    NODE_ENV: {
      reader: oneOf('development', 'test', 'production'),
      default: 'development',
      description:
        'The mode of the process; production rejects settings that are only meant for trials.',
    },
    SURFACES: {
      reader: listOf(SERVED, { auth: 'identity', admin: 'console' }),
      defaultKeyword: 'all',
      default: derived('all', ({ IDENTITY_URL }: { IDENTITY_URL?: string }) =>
        embeddedSurfaces(IDENTITY_URL).join()
      ),
      description:
        'Surfaces this process serves; all includes identity (also written auth) only if IDENTITY_URL is unset, and console (also written admin).',
    },
    JOBS: {
      reader: listOf(JOBS),
      defaultKeyword: 'all',
      default: derived(
        'all; none if SURFACES is console',
        ({ SURFACES }: { SURFACES: readonly string[] }) =>
          SURFACES.join() === 'console' ? 'none' : JOBS.join()
      ),
      description: 'Background work of this process.',
    },
    HOST: {
      reader: host(),
      default: derived('127.0.0.1; 0.0.0.0 in production', ({ NODE_ENV }: Mode) =>
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
      description: 'Port of health checks and metrics; must not be public. 0 takes any free one.',
    },
    ADMIN_HOST: {
      reader: host(),
      default: '127.0.0.1',
      description: 'Address of ADMIN_PORT; every program that can connect can read the metrics.',
    },
    HEALTH_HOST: {
      reader: host(),
      example: '0.0.0.0',
      description: 'Additional address of ADMIN_PORT that serves health checks only.',
    },
    PUBLIC_URL: {
      reader: baseUrl(),
      default: derived(
        'http://localhost:PORT',
        ({ PORT }: { PORT: number }) => `http://localhost:${PORT}`
      ),
      description:
        'Public address of this installation; links, webhooks and token issuers are derived from it.',
    },
    DRAIN_DELAY_SECONDS: {
      reader: integer(0, 300),
      default: '0',
      description:
        'Seconds after SIGTERM in which readiness fails and requests are still served, so that balancers turn away first.',
    },
    POOL_WEB: {
      reader: integer(1, 256),
      default: derived('the number of processors', () => String(availableParallelism())),
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
      description:
        'Lowest level of log lines that are written: as text at a terminal, as JSON elsewhere.',
    },
    LOG_SHIP_LEVEL: {
      reader: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'off'),
      default: 'warn',
      description:
        'Lowest level of log lines that are also sent to telemetry, where they can be queried; off sends none.',
    },
    DATA_DIR: {
      reader: text({ type: 'a folder' }),
      default: '.data',
      description: 'Folder of all data of the embedded drivers.',
    },
  },

  'Database': {
    DATABASE_URL: {
      reader: databaseServers(),
      defaultKeyword: 'embedded',
      example: 'postgres://hub:change-me@127.0.0.1:5432/hub',
      secret: true,
      aliases: [databaseParts],
      description:
        'PostgreSQL database of all surfaces without one of their own; of several hosts, the primary is used.',
    },
    CORE_DATABASE_URL: {
      reader: databaseServers(),
      secret: true,
      description: 'Database of the core surface.',
    },
    STORAGE_DATABASE_URL: {
      reader: databaseServers(),
      secret: true,
      description: 'Database of the storage surface.',
    },
    TELEMETRY_DATABASE_URL: {
      reader: databaseServers(),
      secret: true,
      description: 'Database of the telemetry surface.',
    },
    MESSENGER_DATABASE_URL: {
      reader: databaseServers(),
      secret: true,
      description: 'Database of the messenger surface.',
    },
    IDENTITY_DATABASE_URL: {
      reader: databaseServers(),
      secret: true,
      description: 'Database of the embedded identity provider.',
    },
    DB_POOL: {
      reader: { ...integer(2, 1000), type: 'an integer from 2 to 1000: a sweep needs two at once' },
      default: '10',
      description: 'Maximum number of connections of each process to one database.',
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
      description: 'Password of databases named on the command line, which must not contain one.',
    },
  },

  'Message bus and signals': {
    AMQP_URL: {
      reader: serversUrl('amqp', 'amqps'),
      defaultKeyword: 'memory',
      example: 'amqp://hub:change-me@127.0.0.1:5672',
      secret: true,
      aliases: [connectionAlias('RABBITMQ_CONNECTION_STRING', 'amqp://root:start123@127.0.0.1')],
      description:
        'RabbitMQ server for commands and events; of several hosts, one that responds is used.',
    },
    REDIS_URL: {
      reader: redisServers(),
      defaultKeyword: 'memory',
      example: 'redis://:change-me@127.0.0.1:6379',
      secret: true,
      aliases: [connectionAlias('REDIS_CONNECTION_STRING', 'redis://127.0.0.1')],
      description:
        'Redis server for signals between processes and for shared caches, or the sentinels that know it.',
    },
    REALTIME_ENABLED: {
      reader: flag(),
      default: 'true',
      description: 'Notifies connected clients of changes, at /socket.io of the core surface.',
    },
  },

  'Objects': {
    S3_ENDPOINT: {
      reader: baseUrl(),
      aliases: [minioPart('endpoint')],
      example: 'http://127.0.0.1:9000',
      description: 'S3 server of the files; if unset, they are stored in STORAGE_PATH.',
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
      description: 'Uses the bucket in the path of an S3 address instead of the host name.',
    },
    S3_BUCKET: {
      reader: text({ shape: /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/, type: 'the name of an S3 bucket' }),
      description:
        'One S3 bucket for all files, with a prefix per bucket of the platform; if unset, each has its own S3 bucket.',
    },
    STORAGE_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/objects',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/objects`
      ),
      description: 'Folder of the files if S3_ENDPOINT is unset.',
    },
    UPLOAD_MAX_BYTES: {
      reader: bytes(),
      default: '0',
      description: 'Maximum size of an uploaded file; 0 means no limit.',
    },
    UPLOAD_MAX_FILES: {
      reader: integer(0, 1_000_000),
      default: '0',
      description: 'Maximum number of files in one upload; 0 means no limit.',
    },
    DOWNLOADS_MAX_PER_IDENTITY: {
      reader: integer(0, 1_000_000),
      default: '64',
      description:
        'Maximum number of open downloads of files and buckets per user, client or robot in a process; 0 means no limit.',
    },
    RESUMABLE_UPLOADS_PER_ACTOR: {
      reader: integer(0, 1_000_000),
      default: '256',
      description: 'Maximum number of unfinished resumable uploads of one actor; 0 means no limit.',
    },
    RESUMABLE_UPLOADS_PER_BUCKET: {
      reader: integer(0, 1_000_000),
      default: '1024',
      description:
        'Maximum number of unfinished resumable uploads to one bucket; 0 means no limit.',
    },
    RESUMABLE_BYTES_PER_ACTOR: {
      reader: bytes(),
      default: '10TiB',
      description:
        'Maximum number of bytes that the unfinished resumable uploads of one actor announce together; 0 means no limit.',
    },
    RESUMABLE_BYTES_PER_BUCKET: {
      reader: bytes(),
      default: '50TiB',
      description:
        'Maximum number of bytes that the unfinished resumable uploads to one bucket announce together; 0 means no limit.',
    },
    STORAGE_STRICT_REALM: {
      reader: flag(),
      default: 'true',
      description:
        'Denies clients and robots access to buckets of other realms, unless an approved node of theirs participates in the analysis; false allows all of them.',
    },
  },

  'Backup': {
    BACKUP_S3_ENDPOINT: {
      reader: baseUrl(),
      example: 'http://127.0.0.1:9000',
      description: 'S3 server of backups to s3://…; if unset, that of S3_ENDPOINT with its keys.',
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
        'Uses the bucket in the path of an address of that server instead of the host name.',
    },
  },

  'Identity': {
    IDENTITY_URL: {
      reader: baseUrl(),
      aliases: ['AUTHUP_URL'],
      example: 'http://127.0.0.1:3010',
      description: 'OAuth 2.0 identity provider; if unset, the embedded one is used.',
    },
    IDENTITY_PUBLIC_URL: {
      reader: baseUrl(),
      default: derived(
        'IDENTITY_URL, else the embedded provider below PUBLIC_URL',
        () => undefined
      ),
      example: 'https://login.example.org',
      description:
        'The address of the identity provider as clients reach it; hubctl learns it from the hub.',
    },
    IDENTITY_EMBEDDED: {
      reader: flag(),
      default: derived(
        'true if IDENTITY_URL is unset',
        ({ IDENTITY_URL }: { IDENTITY_URL?: string }) => String(IDENTITY_URL === undefined)
      ),
      description: 'Requests the embedded identity provider explicitly.',
    },
    IDENTITY_ADMIN_PASSWORD: {
      reader: text(),
      default: derived(
        'start123 if HOST is a loopback address, else a random one stored in DATA_DIR/admin.password; none in production',
        () => undefined
      ),
      secret: true,
      description:
        'Initial password of the user admin of the embedded provider; required in production if it is served.',
    },
    IDENTITY_GONE_AT_ONCE: {
      reader: integer(1, 1_000_000),
      default: '5',
      description:
        'Maximum number of realms, users or clients that may be missing from the provider at once; more is considered a mistake, and nothing is removed.',
    },
    IDENTITY_INTROSPECTION_AUTH: {
      reader: oneOf('none', 'basic'),
      default: 'none',
      description: 'Authentication of the platform when it introspects tokens.',
    },
    IDENTITY_CLAIM_REALM_ID: {
      reader: text(),
      default: 'realm_id',
      description: 'Claim with the realm id, for providers with other names.',
    },
    IDENTITY_CLAIM_REALM_NAME: {
      reader: text(),
      default: 'realm_name',
      description: 'Claim with the realm name.',
    },
    IDENTITY_CLAIM_KIND: {
      reader: text(),
      default: 'sub_kind',
      description: 'Claim that distinguishes users, clients and robots.',
    },
    IDENTITY_CLAIM_PERMISSIONS: {
      reader: text(),
      default: 'permissions',
      description: 'Claim with the permissions.',
    },
    CLIENT_ID: {
      reader: text(),
      default: 'system',
      description: 'Client as which the hub itself calls the provider.',
    },
    CLIENT_SECRET: {
      reader: text(),
      default: derived(
        'start123 if HOST is a loopback address or IDENTITY_URL is set, else a random one stored in DATA_DIR/system.secret; none in production',
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
      description: 'Lifetime of access tokens of the embedded provider.',
    },
    REFRESH_TOKEN_SECONDS: {
      reader: integer(600, 31_536_000),
      default: '259200',
      description:
        'Lifetime of refresh tokens of the embedded provider, and so of sessions that are not renewed.',
    },
    UI_ORIGINS: {
      reader: origins(),
      default: 'none',
      example: 'https://ui.example.org',
      description:
        'Web interfaces that users sign in to through the embedded provider; outside production also those on this machine.',
    },
    LOGOUT_ORIGINS: {
      reader: origins(),
      default: 'none',
      example: 'https://app.example.org',
      description:
        'Applications that the embedded provider notifies of ended sessions at the backchannelLogoutUri of their client, in addition to UI_ORIGINS; outside production any.',
    },
    COOKIE_PREFIX: {
      reader: text({
        min: 0,
        shape: /^[\w!#$%&'*+.^`|~-]*$/,
        type: 'characters allowed in a cookie name',
      }),
      default: '',
      description:
        'Prefix of the session cookie access_token, without a separator; the same for all surfaces.',
    },
    APP_KEY: {
      reader: text({ min: 32 }),
      example: 'replace-me-by-32-or-more-random-characters',
      secret: true,
      requiredInProduction: true,
      description:
        'Key that encrypts stored secrets and signs the audit trail; outside production a random one is stored in DATA_DIR.',
    },
    APP_KEY_PREVIOUS: {
      reader: keys(),
      default: 'none',
      secret: true,
      description:
        'Additional keys that can still decrypt stored secrets: former ones, or the next one while processes are replaced.',
    },
    IMAGE_SIGNING_KEY: {
      reader: text({ type: 'a file' }),
      example: '/etc/analysis-hub/images.key',
      description:
        'PEM file with the ECDSA P-256 key that signs images, the same for core and workers; if unset, it is derived from APP_KEY.',
    },
  },

  'Console': {
    CONSOLE_CLIENT_ID: {
      reader: text(),
      default: 'admin-console',
      description:
        'Client as which the console signs people in; the embedded provider has the default one in every realm.',
    },
    CONSOLE_CLIENT_SECRET: {
      reader: text(),
      secret: true,
      description: 'Secret of that client; if unset, it is a public client.',
    },
    CONSOLE_SCOPE: {
      reader: text(),
      default: 'openid',
      example: 'openid offline_access',
      description:
        'Scopes that the console requests, separated by blanks; some providers issue refresh tokens for offline_access only.',
    },
  },

  'Surfaces elsewhere': {
    CORE_URL: {
      reader: baseUrl(),
      description: 'Address of the core surface, if another process serves it.',
    },
    STORAGE_URL: {
      reader: baseUrl(),
      description: 'Address of the storage surface, if another process serves it.',
    },
    TELEMETRY_URL: {
      reader: baseUrl(),
      description: 'Address of the telemetry surface, if another process serves it.',
    },
    MESSENGER_URL: {
      reader: baseUrl(),
      description:
        'Address of the messenger surface, if another process serves it; used by the console and for status.',
    },
  },

  'Approvals and registry': {
    SKIP_PROJECT_APPROVAL: {
      reader: flag(),
      default: 'false',
      description: 'Runs analyses without an approval of their project; start-up warns.',
    },
    SKIP_ANALYSIS_APPROVAL: {
      reader: flag(),
      default: 'false',
      description: 'Runs analyses without an approval of their own; start-up warns.',
    },
    WORKER_SILENCE_SECONDS: {
      reader: integer(1, 30 * 24 * 60 * 60),
      default: '900',
      description:
        'Seconds without a report of a build or distribution until its worker is queried; after as many again the run fails.',
    },
    STORAGE_GONE_AT_ONCE: {
      reader: integer(1, 1_000_000),
      default: '5',
      description:
        'Maximum number of analysis buckets that may be missing from storage at once; more is considered a mistake, and nothing is changed.',
    },
    HARBOR_URL: {
      reader: harborAccess(),
      example: 'admin:change-me@harbor.example.org',
      secret: true,
      description:
        'Harbor registry that is created as the registry default; the password is literal.',
    },
    REGISTRY_HOSTS: {
      reader: hostsAndPorts(),
      example: 'harbor.example.org,harbor.example.org:8443',
      description:
        'Allowed hosts of registries and their redirects, besides that of HARBOR_URL; if unset, all hosts, in production except this machine and private networks.',
    },
    REGISTRY_INSECURE: {
      reader: hostsAndPorts(),
      default: 'none',
      description:
        'Hosts of registries whose certificate is not verified, and whose webhooks do not verify ours.',
    },
  },

  'Master images': {
    MASTER_IMAGES_OWNER: {
      reader: text({ shape: /^[\w.-]+$/, type: 'the name of an account' }),
      default: 'PrivateAim',
      description: 'GitHub account of the repository of master images.',
    },
    MASTER_IMAGES_REPOSITORY: {
      reader: text({ shape: /^[\w.-]+$/, type: 'the name of a repository' }),
      default: 'master-images',
      description: 'Repository of master images.',
    },
    MASTER_IMAGES_BRANCH: {
      reader: text({ shape: /^[\w./-]+$/, type: 'the name of a branch' }),
      default: 'master',
      description: 'Branch of that repository.',
    },
    IMAGE_SOURCE: {
      reader: listOf(['git', 'archive', 'registry']),
      default: derived('git; archive without AMQP_URL', ({ AMQP_URL }: { AMQP_URL?: string }) =>
        AMQP_URL === undefined ? 'archive' : 'git'
      ),
      description:
        'Sources of master images of this worker: git, the repository; archive, images imported into IMAGES_PATH; registry, MASTER_IMAGES_REFERENCES. If two images have the same name, the first source wins.',
    },
    MASTER_IMAGES_URL: {
      reader: repositoryAddress(),
      default: 'https://api.github.com/repos/{owner}/{repository}/tarball/{branch}',
      description:
        'Address of the repository as an archive (.tar.gz), for example of a mirror; or a local folder or archive with its files.',
    },
    MASTER_IMAGES_TOKEN: {
      reader: text(),
      example: 'github_pat_change-me',
      secret: true,
      description: 'Token for MASTER_IMAGES_URL; not sent to redirects.',
    },
    MASTER_IMAGES_REFERENCES: {
      reader: imageReferences(),
      default: 'none',
      example: 'python/base=docker.io/library/python:3.12-slim',
      description:
        'Images of other registries that are used unchanged, each with its path in this platform.',
    },
    MASTER_IMAGES_MIRROR: {
      reader: text({
        shape: /^[\w.-]+(:\d{1,5})?\/[\w.:/{}-]+$/,
        type: 'an image with {virtualPath} in it',
      }),
      example: 'registry.example.org/master/{virtualPath}:latest',
      description: 'Source of images with a Dockerfile if this worker cannot build them.',
    },
    BUILDAH: {
      reader: text({ type: 'the name or path of a program, or none' }),
      default: 'buildah',
      description:
        'Program that builds images with a Dockerfile, if it is installed; none disables building.',
    },
    BUILDAH_ISOLATION: {
      reader: oneOf('chroot', 'rootless', 'oci'),
      default: 'chroot',
      description:
        'Isolation of the commands of a Dockerfile; rootless and oci need crun or runc, and privileges that containers rarely have.',
    },
    BUILDAH_STORAGE: {
      reader: oneOf('auto', 'overlay', 'vfs'),
      default: 'auto',
      description:
        'Storage of layers during a build: overlay, which needs less space, vfs, which works everywhere, or auto, the first that works.',
    },
    BUILDS_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/builds',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/builds`
      ),
      description: 'Folder of the temporary folders of running builds of master images.',
    },
  },

  'Worker': {
    IMAGES_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/images',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/images`
      ),
      description: 'Folder of images in an OCI layout, for installations without a registry.',
    },
    WORKER_PATH: {
      reader: text({ type: 'a folder' }),
      default: derived(
        'DATA_DIR/worker',
        ({ DATA_DIR }: { DATA_DIR: string }) => `${DATA_DIR}/worker`
      ),
      description:
        'Folder of the journal of a worker, which cleans up after a crash: it must outlive the process, and several workers may share it.',
    },
    WORKER_CLIENT_ID: {
      reader: text(),
      default: derived(
        'worker if the identity provider is embedded, else CLIENT_ID',
        ({ IDENTITY_URL, CLIENT_ID }: { IDENTITY_URL?: string; CLIENT_ID: string }) =>
          IDENTITY_URL === undefined ? 'worker' : CLIENT_ID
      ),
      description: 'Client that the worker uses at core and storage.',
    },
    WORKER_CLIENT_SECRET: {
      reader: text(),
      default: derived(
        'derived from APP_KEY if the identity provider is embedded, else CLIENT_SECRET',
        ({ IDENTITY_URL, CLIENT_SECRET }: { IDENTITY_URL?: string; CLIENT_SECRET?: string }) =>
          IDENTITY_URL === undefined ? undefined : CLIENT_SECRET
      ),
      secret: true,
      description: 'Secret of that client.',
    },
    WORKER_AMQP_LIMITED: {
      reader: flag(),
      default: 'false',
      description:
        'Whether the account in AMQP_URL of a worker may do only what workers do, as docs/worker.md sets it up.',
    },
    WORKER_CONCURRENCY: {
      reader: integer(1, 64),
      default: '2',
      description:
        'Number of builds, of distributions and of master images that a worker processes concurrently.',
    },
    WORKER_JOB_SECONDS: {
      reader: integer(1, 1_740),
      default: '1500',
      description:
        'Time limit of one of them in seconds; brokers redeliver messages that are not acknowledged within half an hour.',
    },
  },

  'Telemetry': {
    EVENT_RETENTION_DAYS: {
      reader: integer(0, 36_500),
      default: '7',
      description:
        'Days that audit events from the bus are retained unless the sender sets another time; 0 retains them forever.',
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
      description: 'Address for writing log lines, if not LOGSTORE_URL.',
    },
    LOGSTORE_QUERIER_URL: {
      reader: baseUrl(),
      aliases: ['VICTORIA_LOGS_QUERIER_URL'],
      description: 'Address for querying log lines, if not LOGSTORE_URL.',
    },
    LOGSTORE_RETENTION_DAYS: {
      reader: integer(1, 36_500),
      default: '7',
      description:
        'Retention of the log store in days, as configured there; older lines are rejected instead of lost.',
    },
    LOGSTORE_MEMORY_LINES: {
      reader: integer(1, 10_000_000),
      default: '10000',
      description: 'Maximum number of log lines in the memory store; the oldest are dropped.',
    },
    LOGSTORE_MEMORY_BYTES: {
      reader: bytes(1024),
      default: '64MiB',
      description: 'Maximum size of the memory store of logs; the oldest lines are dropped.',
    },
  },

  'Messenger': {
    MESSAGE_MAX_RECIPIENTS: {
      reader: integer(1, 100_000),
      default: '1000',
      description: 'Maximum number of recipients of one message.',
    },
    MESSAGE_MAX_BYTES: {
      reader: bytes(1),
      default: '1MiB',
      description: 'Maximum size of a message.',
    },
    MAILBOX_MAX_BYTES: {
      reader: bytes(),
      default: '1GiB',
      description: 'Maximum size of the pending messages of one recipient; 0 means no limit.',
    },
    SENDER_MAX_BYTES: {
      reader: bytes(),
      default: '256MiB',
      description:
        'Maximum size of the pending messages of one sender, each content counted once; 0 means no limit.',
    },
    SENDER_MAX_MESSAGES: {
      reader: integer(0, 1_000_000_000),
      default: '50000',
      description:
        'Maximum number of pending messages of one sender, one per recipient; 0 means no limit.',
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
      description: 'Requests per minute of one user; 0 means no limit.',
    },
    RATE_LIMIT_CLIENT: {
      reader: integer(0, 1_000_000_000),
      default: '60000',
      description: 'Requests per minute of one client or robot; 0 means no limit.',
    },
    RATE_LIMIT_ANONYMOUS: {
      reader: integer(0, 1_000_000_000),
      default: '1200',
      description: 'Requests per minute of one address without a login; 0 means no limit.',
    },
    HEADERS_MAX_SECONDS: {
      reader: integer(1, 3600),
      default: '15',
      description: 'Time limit for receiving the headers of a request, in seconds.',
    },
    REQUEST_MAX_SECONDS: {
      reader: integer(1, 86_400),
      default: '60',
      description:
        'Time limit for receiving the body of a request, in seconds; uploads may take longer while they make progress.',
    },
    CONNECTIONS_MAX: {
      reader: integer(0, 1_000_000),
      default: '10000',
      description:
        'Maximum number of connections of a process, or of a whole pool; 0 means no limit.',
    },
    CONNECTIONS_MAX_PER_ADDRESS: {
      reader: integer(0, 1_000_000),
      default: '1000',
      description:
        'Maximum number of these per address; 0 means no limit. TRUSTED_PROXIES are exempt: behind them it limits streams, long polls and sockets per client address.',
    },
    STREAMS_MAX_PER_IDENTITY: {
      reader: integer(0, 1_000_000),
      default: '64',
      description:
        'Maximum number of streams and long polls per user, client or robot in a process; 0 means no limit.',
    },
    STREAMS_MAX_PER_REALM: {
      reader: integer(0, 1_000_000),
      default: '4096',
      description:
        'Maximum number of streams and long polls per realm, except master, in a process; 0 means no limit.',
    },
    TRUSTED_PROXIES: {
      reader: proxies(),
      default: 'loopback',
      description: 'Proxies whose forwarded client address is trusted.',
    },
    CORS_ORIGINS: {
      reader: origins(),
      default: 'none',
      example: 'https://hub.example.org',
      description:
        'Web origins that may send credentials; if none is set, no origin in production, else those of this machine (localhost, 127.0.0.1).',
    },
    DOCS_ENABLED: {
      reader: flag(),
      default: derived('true; false in production', ({ NODE_ENV }: Mode) =>
        String(NODE_ENV !== 'production')
      ),
      description: 'Serves the API documentation at /docs without a login.',
    },
  },

  'Observability': {
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      reader: baseUrl(),
      example: 'http://127.0.0.1:4318',
      description: 'OpenTelemetry collector of traces; if unset, none are recorded.',
    },
    OTEL_TRACES_SAMPLER_ARG: {
      reader: share(),
      default: '1',
      example: '0.01',
      description:
        'Share of the traces that begin here which are recorded. A trace that a caller began is recorded if he records it.',
    },
  },
})

/** The values of all variables. */
export type Env = Values<typeof groups>
