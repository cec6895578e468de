export type Severity = 'warning' | 'error'

interface CatalogueEntry {
  readonly severity: Severity
  /** What is wrong. */
  readonly means: string
  /** What to do about it. */
  readonly remedy: string
}

const error = (means: string, remedy: string): CatalogueEntry => ({
  severity: 'error',
  means,
  remedy,
})
const warning = (means: string, remedy: string): CatalogueEntry => ({
  severity: 'warning',
  means,
  remedy,
})

/** All possible findings. The documentation is generated from it. */
export const CATALOGUE = {
  CHECK_FAILED: error(
    'A check could not be completed',
    'Read the reason; if it is unclear, run the doctor again, and report it if it happens again.'
  ),
  CHECK_HANGS: error(
    'A check timed out',
    'See whether the server is overloaded, or a firewall drops its packets.'
  ),

  DATABASE_UNREACHABLE: error(
    'A database cannot be used',
    'Start it, or correct DATABASE_URL or the address of the surface; the embedded one runs only while the hub runs.'
  ),
  DATABASE_OLD: error('PostgreSQL is too old', 'Move to PostgreSQL 15 or newer.'),
  DATABASE_FSYNC_OFF: error(
    'fsync is off: a loss of power can destroy the database',
    'Set fsync = on in postgresql.conf and reload.'
  ),
  DATABASE_PAGES_TORN: error(
    'full_page_writes is off: a loss of power can leave half-written pages',
    'Set full_page_writes = on in postgresql.conf and reload.'
  ),
  DATABASE_COMMIT_EARLY: error(
    'synchronous_commit is off: confirmed changes may be lost in a crash',
    'Set synchronous_commit = on for the server, the database and the role.'
  ),
  DATABASE_CONNECTIONS_FEW: warning(
    'The server allows fewer connections than the processes may open',
    'Raise max_connections, or lower DB_POOL, POOL_WEB or POOL_JOBS.'
  ),
  DATABASE_HOST_AWAY: warning(
    'A host of a database does not respond',
    'Start it; until then one host less can fail.'
  ),
  DATABASE_WITHOUT_PRIMARY: error(
    'No host of a database accepts writes',
    'Start its primary, or promote a standby; under Patroni, see patronictl list.'
  ),
  DATABASE_PRIMARIES: error(
    'Several hosts of a database accept writes: what is written to one of them will be lost',
    'Stop the one that is not the primary of the cluster, and make it a standby again (pg_rewind, patronictl reinit).'
  ),
  DATABASE_ASYNCHRONOUS: warning(
    'The primary confirms changes before a standby has them: they are lost if it is',
    'Set synchronous_standby_names; under Patroni, synchronous_mode.'
  ),
  DATABASE_STANDBY_BEHIND: warning(
    'A standby does not follow the primary',
    'Read its log; if the primary no longer has what it needs, copy it again (pg_basebackup, patronictl reinit).'
  ),
  DATABASE_BEHIND: error(
    'Migrations are pending',
    'Run node ace hub:migrate, or start the hub, which runs them.'
  ),
  DATABASE_AHEAD: error(
    'The database is from a newer version of the program',
    'Start the version that migrated it.'
  ),
  DATABASE_INDEX_MISSING: warning(
    'An index of a list is missing',
    'Find the index in database/migrations, and create it with create index concurrently.'
  ),
  DATABASE_INDEX_INVALID: warning(
    'An index is invalid and not used',
    'Drop it, and create it again with create index concurrently.'
  ),

  BROKER_UNREACHABLE: error(
    'RabbitMQ cannot be used',
    'Start it, or correct AMQP_URL: host, port, user, password and virtual host.'
  ),
  BROKER_OLD: error('RabbitMQ is too old', 'Move to RabbitMQ 3.8 or newer.'),
  BROKER_BLOCKED: error(
    'RabbitMQ blocks publishers: it is short of memory or disk space',
    'Free disk space or add memory; rabbitmq-diagnostics alarms shows which.'
  ),
  BROKER_QUEUE_NOT_DURABLE: error(
    'A queue differs from its declaration: its messages may not survive a restart of the broker',
    'Empty the queue, delete it, and start the hub, which declares it again.'
  ),
  BROKER_QUEUE_NOT_TAKEN: warning(
    'Messages wait in a queue without a consumer',
    'Start a consumer: a process with JOBS=bus for queues of the hub, a worker for the others.'
  ),
  BROKER_HOST_AWAY: warning(
    'A host of AMQP_URL does not respond',
    'Start it; until then one host less can fail.'
  ),
  BROKER_CLUSTERS: error(
    'The hosts of AMQP_URL belong to several clusters: a message that one accepts is not at the others',
    'Let them join one cluster (rabbitmqctl join_cluster), or name those of one cluster.'
  ),
  BROKER_QUEUE_CLASSIC: warning(
    'Queues are not replicated: their messages are away while their host is',
    'Set the default queue type of the virtual host to quorum, empty and delete the queues, and start the hub, which declares them again.'
  ),

  REDIS_UNREACHABLE: error('Redis cannot be used', 'Start it, or correct REDIS_URL.'),
  REDIS_NEEDED: error(
    'Several machines use one database without REDIS_URL: they cannot notify each other',
    'Set REDIS_URL to the same server for all of them.'
  ),
  REDIS_EVICTS: warning(
    'Redis evicts keys when it runs out of memory, including rate limits and socket sessions',
    'Set maxmemory-policy noeviction, and a sufficient maxmemory.'
  ),
  REDIS_SENTINEL_AWAY: warning(
    'A sentinel cannot be used',
    'Start it, or correct REDIS_URL: its host, and the name after the slash.'
  ),
  REDIS_WITHOUT_QUORUM: error(
    'The sentinels cannot agree on another master',
    'Start the missing ones, or correct the quorum in sentinel monitor.'
  ),
  REDIS_MASTERS: error(
    'The sentinels name different masters',
    'Make all of them monitor the same servers; sentinel reset makes one forget what it knows.'
  ),
  REDIS_WITHOUT_REPLICA: warning(
    'The master has no replica that could take its place',
    'Start a replica (replicaof), and see sentinel replicas.'
  ),

  AUDIT_HEADS_NOT_KEPT: error(
    'The head of the audit trail is not anchored outside of the database: removed recent events would go unnoticed',
    'Search the log for event-heads. Make sure that the object store accepts objects and that a process with JOBS=sweeps runs.'
  ),

  OBJECTS_UNREACHABLE: error(
    'The object store rejects objects',
    'Start it, or correct S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY and S3_BUCKET, or STORAGE_PATH; without S3_BUCKET, the key must be allowed to create buckets.'
  ),
  OBJECTS_CHANGED: error(
    'The object store returns other bytes than were stored',
    'Check for a proxy or gateway that rewrites bodies.'
  ),
  OBJECTS_NO_RANGES: error(
    'The object store does not support range requests',
    'Allow the Range header on the way to it; otherwise downloads cannot be resumed.'
  ),
  OBJECTS_NO_PIECES: error(
    'The object store rejects multipart uploads',
    'Grant the permissions for multipart uploads, and allow bodies of 16 MiB on the way to it.'
  ),
  OBJECTS_NOT_DELETED: error(
    'The object store does not delete objects',
    'Allow the key to delete objects; otherwise no space is freed.'
  ),

  PROVIDER_UNREACHABLE: error(
    'The identity provider does not respond',
    'Start it, or correct IDENTITY_URL; nobody can log in until it responds.'
  ),
  PROVIDER_WITHOUT_KEYS: error(
    'The identity provider publishes no signing keys',
    'Check the response of its jwks_uri; the embedded provider creates a key with its first token.'
  ),
  PROVIDER_KEYS_UNREADABLE: error(
    'The keys of the embedded provider were encrypted with another APP_KEY',
    'Start with the APP_KEY they were encrypted with, or list it in APP_KEY_PREVIOUS and run node ace keys:rotate --app.'
  ),
  PROVIDER_REFUSES_US: error(
    'The identity provider rejects the client of the hub',
    'Correct CLIENT_ID, CLIENT_SECRET and REALM, or set the secret of that client at the provider.'
  ),

  LOGSTORE_UNREACHABLE: error(
    'The log store does not respond',
    'Start it, or correct LOGSTORE_URL, LOGSTORE_INGESTOR_URL and LOGSTORE_QUERIER_URL.'
  ),
  REGISTRY_UNREACHABLE: error(
    'A registry does not respond, or denies access to the hub',
    'Start it, or correct its host and account (HARBOR_URL, or the registry itself).'
  ),
  REGISTRY_UNTRUSTED: error(
    'The certificate of a registry is not trusted',
    'Trust its issuer on this machine (NODE_EXTRA_CA_CERTS), or add the registry to REGISTRY_INSECURE.'
  ),
  REGISTRY_LINK: warning(
    'A project could not be created, repaired or removed in a registry',
    'Follow the reason; it is retried automatically, or at once with hubctl registry link.'
  ),
  REGISTRY_ACCOUNTS_RENAMED: warning(
    'A registry has renamed its accounts (robot_name_prefix): nodes log in with names that no longer exist',
    'Wait a minute: all projects of the registry are linked again. Make sure that a process with JOBS=sweeps runs.'
  ),
  REGISTRY_WORKER: warning(
    'The worker has no account of its own at a registry and uses that of the registry',
    'Check the named account in the registry, or remove it there: it is created again.'
  ),
  SURFACE_UNREACHABLE: error(
    'A surface of another process does not respond',
    'Start it, or correct its address (CORE_URL, STORAGE_URL, TELEMETRY_URL, MESSENGER_URL).'
  ),

  CLOCK_OF_DATABASE: warning(
    'The clock of this machine and that of the database differ',
    'Synchronize both with a time server (chrony, systemd-timesyncd).'
  ),
  CLOCK_OF_PROVIDER: error(
    'The clock of this machine and that of the identity provider differ: tokens appear expired or not yet valid',
    'Synchronize both with a time server (chrony, systemd-timesyncd).'
  ),

  DISK_FULL: error(
    'The disk is almost full',
    'Remove files that are not needed, or enlarge the disk.'
  ),
  DISK_LOW: warning('The disk is running full', 'Enlarge the disk in time.'),
  DISK_NOT_WRITABLE: error(
    'A folder of the installation cannot be written',
    'Create it, and make the account that runs the hub its owner.'
  ),

  SECRET_IN_ENVIRONMENT: warning(
    'A secret is in the environment of the process, where dumps and diagnostic tools show it',
    'Write it to a file that only the hub reads, and set <NAME>_FILE to its path instead.'
  ),
  SECRET_KNOWN: error('A secret is well known', 'Choose another one and change it at its server.'),
  SECRET_OF_ADMINISTRATOR: error(
    'The user admin has the default password',
    'Run node ace user:password admin.'
  ),
  SECRET_OF_CLIENT: error(
    'A client of the embedded provider has the default secret',
    'Replace it (hubctl client reset); for the client of the hub, also set CLIENT_SECRET.'
  ),
  KEY_OF_BEFORE: warning(
    'APP_KEY_PREVIOUS is set: a former key can still decrypt and forge data',
    'Run node ace keys:rotate --app, and unset APP_KEY_PREVIOUS when it reports that nothing needs it.'
  ),
  CREDENTIALS_OLD: warning(
    'Secrets of nodes or analyses have not been replaced for a year',
    'Run node ace credentials:rotate --older-than=365d --dry-run, and then without --dry-run.'
  ),
  CREDENTIALS_ENDING: warning(
    'The keys that sign tokens have expired, and there is no new one',
    'Run node ace keys:rotate.'
  ),

  PUBLIC_URL_UNREACHABLE: error(
    'The hub does not respond at PUBLIC_URL',
    'Start it, correct PUBLIC_URL, or check the proxy in front of it.'
  ),
  PUBLIC_URL_IS_OTHER: error(
    'Another server responds at PUBLIC_URL',
    'Correct PUBLIC_URL, or configure the proxy to forward all paths below it unchanged.'
  ),
  PROXY_CUTS_BODIES: error(
    'The proxy rejects large bodies: files cannot be uploaded',
    'Remove its limit (nginx: client_max_body_size 0) and its request buffering.'
  ),
  PROXY_HOLDS_STREAMS: error(
    'The proxy buffers event streams',
    'Turn off its buffering (nginx: proxy_buffering off) and allow long responses (proxy_read_timeout 1h).'
  ),
  PROXY_NOT_TRUSTED: warning(
    'The proxy is not trusted: all requests seem to come from it and share its rate limits',
    'Add the address of the proxy to TRUSTED_PROXIES.'
  ),
  PROXY_HIDES_CALLERS: warning(
    'The proxy does not forward client addresses: all callers share its rate limits, and the audit trail names it',
    'Configure it to send X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.'
  ),

  CERTIFICATE_EXPIRED: error('A certificate has expired', 'Renew it, and reload its server.'),
  CERTIFICATE_ENDING: warning(
    'A certificate expires within three weeks',
    'Renew it, and find out why it was not renewed automatically.'
  ),
  CERTIFICATE_UNTRUSTED: error(
    'A certificate is not trusted, or for another host',
    'Serve the whole chain for the named host; trust a private issuer with NODE_EXTRA_CA_CERTS.'
  ),
  CERTIFICATE_UNKNOWN: error(
    'A certificate could not be read',
    'Start the server, or correct its address.'
  ),

  COOKIE_PREFIX_DIFFERS: error(
    'A surface uses another COOKIE_PREFIX: sessions are not valid there',
    'Set the same COOKIE_PREFIX for all processes.'
  ),

  ADOPTION_OPEN: warning(
    'The move from the former platform is not closed: nothing compares core with storage, and no orphaned object is removed',
    'Stop the former platform and run node ace hub:adopt --last; its report says what is left.'
  ),
  APPROVAL_SKIPPED: warning(
    'Analyses run without an approval',
    'Unset SKIP_PROJECT_APPROVAL and SKIP_ANALYSIS_APPROVAL, except for trials.'
  ),
  REALMS_OPEN: warning(
    'Clients of every realm can access the buckets of all realms',
    'Unset STORAGE_STRICT_REALM.'
  ),

  DEAD_LETTERS: warning(
    'Messages could not be processed',
    'See why with node ace bus:dead list, then redrive or drop them.'
  ),
  OUTBOX_WAITS: warning(
    'Changes wait to be published',
    'Make sure that a process with JOBS=outbox runs, and that it can connect to broker and Redis.'
  ),
  ANALYSES_STUCK: warning(
    'Builds or distributions have failed, or are no longer reported',
    'See each with hubctl analysis explain, and start it again.'
  ),
} as const satisfies Record<string, CatalogueEntry>

export type Code = keyof typeof CATALOGUE

/** A problem and its remedy. */
export interface Finding {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly remedy: string
}

/** `about` names what is affected and what was observed; never a secret. */
export function finding(code: Code, about: string): Finding {
  const { severity, means, remedy } = CATALOGUE[code]
  return { code, severity, message: `${means}: ${about}`, remedy }
}
