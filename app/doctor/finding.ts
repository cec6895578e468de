export type Severity = 'warning' | 'error'

interface CatalogueEntry {
  readonly severity: Severity
  /** What is wrong, for the table of all codes. */
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

/** Everything that can be found. The page of the documentation is made from it. */
export const CATALOGUE = {
  CHECK_FAILED: error(
    'A check could not be made',
    'Read the reason; where it says nothing, run the doctor again, and report it where it comes again.'
  ),
  CHECK_HANGS: error(
    'A check did not end in its time',
    'Look whether the server that it asks is overloaded, and whether a firewall drops what is sent to it.'
  ),

  DATABASE_UNREACHABLE: error(
    'A database cannot be used',
    'Start it, or correct DATABASE_URL or the address of the surface; the embedded one runs while the hub does.'
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
    'synchronous_commit is off: what was answered as done may be gone after a crash',
    'Set synchronous_commit = on for the server, the database and the role.'
  ),
  DATABASE_CONNECTIONS_FEW: warning(
    'The server allows fewer connections than the processes may open',
    'Raise max_connections, or lower DB_POOL, POOL_WEB or POOL_JOBS.'
  ),
  DATABASE_BEHIND: error(
    'Migrations were not made yet',
    'Run node ace hub:migrate, or start the hub, which makes them.'
  ),
  DATABASE_AHEAD: error(
    'The database is from a newer version of the program',
    'Start the version that made it; the tables of an older one may not be what this one writes.'
  ),
  DATABASE_INDEX_MISSING: warning(
    'A list has no index that it is made for',
    'Look in database/migrations for the index of that name, and create it again with create index concurrently.'
  ),
  DATABASE_INDEX_INVALID: warning(
    'An index is not complete and serves nothing',
    'Drop it, and create it again with create index concurrently.'
  ),

  BROKER_UNREACHABLE: error(
    'RabbitMQ cannot be used',
    'Start it, or correct AMQP_URL: host, port, user, password and virtual host.'
  ),
  BROKER_OLD: error('RabbitMQ is too old', 'Move to RabbitMQ 3.8 or newer.'),
  BROKER_BLOCKED: error(
    'RabbitMQ takes no messages: it is short of memory or disk',
    'Make room on its disk, or give it memory; rabbitmq-diagnostics alarms says which.'
  ),
  BROKER_QUEUE_NOT_DURABLE: error(
    'A queue was declared otherwise than the hub declares it: its messages may not outlast the broker',
    'Empty the queue, delete it, and start the hub, which declares it as it should be.'
  ),
  BROKER_QUEUE_NOT_TAKEN: warning(
    'Messages wait in a queue that nobody takes from',
    'Start a process that does: with JOBS=bus for queues of the hub, a worker for the others.'
  ),

  REDIS_UNREACHABLE: error('Redis cannot be used', 'Start it, or correct REDIS_URL.'),
  REDIS_NEEDED: error(
    'Several machines work on one database without REDIS_URL: they do not tell each other what happens',
    'Set REDIS_URL to the same server for all of them.'
  ),
  REDIS_EVICTS: warning(
    'Redis removes keys where it runs out of memory, and with them limits and sessions of sockets',
    'Set maxmemory-policy noeviction, and maxmemory such that it is enough.'
  ),

  AUDIT_HEADS_NOT_KEPT: error(
    'The end of the audit trail is not kept outside of the database: what was added since could be cut off without being seen',
    'Look in the log for event-heads, and see that the object store takes objects into its bucket and that a process with JOBS=sweeps runs.'
  ),

  OBJECTS_UNREACHABLE: error(
    'The object store takes no objects',
    'Start it, or correct S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY and S3_BUCKET, or STORAGE_PATH; the key has to be allowed to make buckets where S3_BUCKET is unset.'
  ),
  OBJECTS_CHANGED: error(
    'The object store gives back other bytes than it was given',
    'Look at what stands between: a proxy or a gateway that rewrites bodies.'
  ),
  OBJECTS_NO_RANGES: error(
    'The object store does not answer parts of objects',
    'Allow the Range header on the way to it; downloads cannot be resumed without.'
  ),
  OBJECTS_NO_PIECES: error(
    'The object store takes no objects in pieces',
    'Allow multipart uploads: the rights for them, and bodies of 16 MiB on the way to it.'
  ),
  OBJECTS_NOT_DELETED: error(
    'The object store does not remove objects',
    'Allow the key to delete objects; nothing that was removed would free its room.'
  ),

  PROVIDER_UNREACHABLE: error(
    'The identity provider does not answer',
    'Start it, or correct IDENTITY_URL; nobody is let in until it answers.'
  ),
  PROVIDER_WITHOUT_KEYS: error(
    'The identity provider shows no keys that tokens are signed with',
    'Look at what its jwks_uri answers; the embedded provider makes a key with its first token.'
  ),
  PROVIDER_KEYS_UNREADABLE: error(
    'The keys of the embedded provider were sealed with another APP_KEY',
    'Start with the APP_KEY they were sealed with, or list it in APP_KEY_PREVIOUS and run node ace keys:rotate --app.'
  ),
  PROVIDER_REFUSES_US: error(
    'The identity provider refuses the client of the hub',
    'Correct CLIENT_ID, CLIENT_SECRET and REALM, or set the secret of that client at the provider.'
  ),

  LOGSTORE_UNREACHABLE: error(
    'The log store does not answer',
    'Start it, or correct LOGSTORE_URL, LOGSTORE_INGESTOR_URL and LOGSTORE_QUERIER_URL.'
  ),
  REGISTRY_UNREACHABLE: error(
    'A registry does not answer, or does not let the hub in',
    'Start it, or correct its host and account (HARBOR_URL, or the registry itself).'
  ),
  REGISTRY_UNTRUSTED: error(
    'The certificate of a registry is not trusted',
    'Have the host trust its issuer (NODE_EXTRA_CA_CERTS), or name the registry in REGISTRY_INSECURE.'
  ),
  REGISTRY_LINK: warning(
    'A project could not be made, mended or removed in a registry',
    'Do what the reason says; it is tried again by itself, at once with hubctl registry link.'
  ),
  REGISTRY_ACCOUNTS_RENAMED: warning(
    'A registry calls its accounts otherwise than the hub noted (robot_name_prefix): nodes log in with names that are no more',
    'Wait a minute, for all projects of the registry are linked again; see that a process with JOBS=sweeps runs.'
  ),
  REGISTRY_WORKER: warning(
    'A registry does not give the worker an account of its own, which so uses that of the registry',
    'Look at what the registry keeps under the account that is named, or remove it there: it is made anew.'
  ),
  SURFACE_UNREACHABLE: error(
    'A surface of another process does not answer',
    'Start it, or correct its address (CORE_URL, STORAGE_URL, TELEMETRY_URL, MESSENGER_URL).'
  ),

  CLOCK_OF_DATABASE: warning(
    'The clock of this machine and that of the database differ',
    'Have both follow a time server (chrony, systemd-timesyncd).'
  ),
  CLOCK_OF_PROVIDER: error(
    'The clock of this machine and that of the identity provider differ: tokens are taken for over, or for not begun',
    'Have both follow a time server (chrony, systemd-timesyncd).'
  ),

  DISK_FULL: error(
    'There is hardly any room left',
    'Remove what is not needed, or enlarge the disk.'
  ),
  DISK_LOW: warning('There is little room left', 'Enlarge the disk in time.'),
  DISK_NOT_WRITABLE: error(
    'A folder of the installation cannot be written',
    'Create it, and give it to the account that runs the hub.'
  ),

  SECRET_KNOWN: error(
    'A secret is one that everybody knows',
    'Choose one of your own and change it at the server that it is for.'
  ),
  SECRET_OF_ADMINISTRATOR: error(
    'The user admin has the password it came with',
    'Run node ace user:password admin.'
  ),
  SECRET_OF_CLIENT: error(
    'A client of the embedded provider has the secret it came with',
    'Set another one (hubctl client reset), and for that of the hub CLIENT_SECRET.'
  ),
  KEY_OF_BEFORE: warning(
    'APP_KEY_PREVIOUS is set: what was sealed with a former key can still be read and forged with it',
    'Run node ace keys:rotate --app, and remove APP_KEY_PREVIOUS once it says that nothing needs it.'
  ),
  CREDENTIALS_OLD: warning(
    'Secrets of nodes or analyses have not been replaced for a year',
    'Run node ace credentials:rotate --older-than=365d --dry-run, and then without --dry-run.'
  ),
  CREDENTIALS_ENDING: warning(
    'The keys that tokens are signed with end soon, and the next one was not made',
    'Run node ace keys:rotate.'
  ),

  PUBLIC_URL_UNREACHABLE: error(
    'The hub does not answer at PUBLIC_URL',
    'Start it, correct PUBLIC_URL, or look at the proxy in front of it.'
  ),
  PUBLIC_URL_IS_OTHER: error(
    'Something else answers at PUBLIC_URL',
    'Correct PUBLIC_URL, or have the proxy hand on all paths below it as they are.'
  ),
  PROXY_CUTS_BODIES: error(
    'The proxy refuses large bodies: files cannot be uploaded',
    'Lift its limit (nginx: client_max_body_size 0), and have it not keep bodies before it hands them on.'
  ),
  PROXY_HOLDS_STREAMS: error(
    'The proxy keeps streams of events back',
    'Turn its buffering off (nginx: proxy_buffering off) and let answers last (proxy_read_timeout 1h).'
  ),
  PROXY_NOT_TRUSTED: warning(
    'The address of callers is not believed: all seem to come from the proxy, and share its limits',
    'Name the address of the proxy in TRUSTED_PROXIES.'
  ),
  PROXY_HIDES_CALLERS: warning(
    'The proxy does not say whom it speaks for: all callers share its limits, and the audit trail names it',
    'Have it send X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.'
  ),

  CERTIFICATE_EXPIRED: error(
    'A certificate is over',
    'Renew it, and reload the server that shows it.'
  ),
  CERTIFICATE_ENDING: warning(
    'A certificate ends within three weeks',
    'Renew it, and look why that was not done by itself.'
  ),
  CERTIFICATE_UNTRUSTED: error(
    'A certificate is not trusted, or for another host',
    'Show the whole chain, for the host that is named; a private issuer is trusted with NODE_EXTRA_CA_CERTS.'
  ),
  CERTIFICATE_UNKNOWN: error(
    'A certificate could not be looked at',
    'Start the server, or correct its address.'
  ),

  COOKIE_PREFIX_DIFFERS: error(
    'A surface goes by another COOKIE_PREFIX: whoever signed in is a stranger there',
    'Set COOKIE_PREFIX to the same for all processes.'
  ),

  APPROVAL_SKIPPED: warning(
    'Analyses run without an approval',
    'Unset SKIP_PROJECT_APPROVAL and SKIP_ANALYSIS_APPROVAL, except to try things out.'
  ),
  REALMS_OPEN: warning(
    'Clients of every realm reach the buckets of all realms',
    'Unset STORAGE_STRICT_REALM.'
  ),

  DEAD_LETTERS: warning(
    'Messages could not be handled',
    'Look why with node ace bus:dead list, then give them back (redrive) or drop them.'
  ),
  OUTBOX_WAITS: warning(
    'Changes wait to be told of',
    'Look whether a process with JOBS=outbox runs, and whether broker and Redis answer it.'
  ),
  ANALYSES_STUCK: warning(
    'Builds or distributions have failed, or nobody tells of them any more',
    'Look at each with hubctl analysis explain, and begin it again.'
  ),
} as const satisfies Record<string, CatalogueEntry>

export type Code = keyof typeof CATALOGUE

/** Something that is wrong, and what to do about it. */
export interface Finding {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly remedy: string
}

/** `about` says what is concerned, and what was seen; never a secret. */
export function finding(code: Code, about: string): Finding {
  const { severity, means, remedy } = CATALOGUE[code]
  return { code, severity, message: `${means}: ${about}`, remedy }
}
