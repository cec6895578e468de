import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'
import { maintainTotals } from '#database/maintained_totals'

export default class CreateCore extends BaseSchema {
  async up() {
    const statements = [
      'create extension if not exists pg_trgm',
      ...REGISTRIES,
      ...REGISTRY_STATES,
      ...NODES,
      ...MASTER_IMAGES,
      ...PROJECTS,
      ...ANALYSES,
      ...ASSIGNMENTS,
      ...BUCKETS,
      ...RUNS,
      ...STATUS_HISTORY,
      ...INSTALLATION,
      ...LISTS.flatMap(([table, realm]) => maintainTotals(table, realm)),
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

const TIMES = `created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()`

const REGISTRIES = [
  `create table registries (
    id uuid primary key, name varchar(128) not null unique,
    host varchar(512) not null unique,
    account_name varchar(256), account_secret text,
    ${TIMES}
  )`,
  index.text('registries', 'name'),
  index.match('registries', 'name'),
  ...index.values('registries', 'created_at', 'updated_at'),

  `create table registry_projects (
    id uuid primary key, name varchar(128) not null,
    type varchar(64) default 'default', public boolean not null default true,
    external_name varchar(64) not null, external_id varchar(64),
    account_id varchar(64), account_name varchar(256), account_secret text,
    webhook_name varchar(128), webhook_exists boolean not null default false,
    registry_id uuid not null references registries on delete cascade,
    realm_id uuid,
    ${TIMES},
    unique (name, registry_id),
    unique (external_name, registry_id),
    unique (external_id, registry_id)
  )`,
  index.text('registry_projects', 'name', 'registry_id'),
  index.match('registry_projects', 'name'),
  index.text('registry_projects', 'external_name', 'registry_id'),
  index.match('registry_projects', 'external_name'),
  index.text('registry_projects', 'type'),
  ...index.values('registry_projects', 'registry_id', 'created_at', 'updated_at'),
]

/** What the platform has at each registry, and what it waits for. */
const REGISTRY_STATES = [
  // `refusals`: how often in a row the registry refused the account; it is asked more and more rarely.
  `create table registry_states (
    registry_id uuid primary key references registries on delete cascade,
    paused_until timestamptz(3), is_removing boolean not null default false,
    refusals integer not null default 0
  )`,

  // `project_id` is the owner of a name, and `adopted_for_project_id` for whom an administrator adopts it.
  `create table registry_links (
    registry_id uuid not null references registries on delete cascade,
    external_name varchar(64) not null,
    is_detached boolean not null default false, is_adopted boolean,
    account_id varchar(64), new_secret text, reconciled_at timestamptz(3),
    problem text, project_id uuid, adopted_for_project_id uuid,
    primary key (registry_id, external_name)
  )`,

  // The accounts of the worker: one that pushes images of analyses, and one that only pushes master images.
  `create table registry_workers (
    registry_id uuid primary key references registries on delete cascade,
    account_id text, account_name text, account_secret text, problem text,
    reconciled_at timestamptz(3),
    master_account_id text, master_account_name text, master_account_secret text
  )`,

  `create table registry_hooks (
    registry_id uuid primary key references registries on delete cascade,
    secret text not null, created_at timestamptz(3) not null default now()
  )`,

  `create table registry_client_renewals (
    id boolean primary key default true check (id),
    requested_at timestamptz(3) not null default now()
  )`,
]

const NODES = [
  // A public key has 4,096 characters of up to three bytes, with two hexadecimal digits per byte.
  `create table nodes (
    id uuid primary key, name varchar(128) not null,
    client_id uuid, external_name varchar(64),
    hidden boolean not null default false,
    type varchar(64) not null default 'default',
    online boolean not null default false,
    public_key varchar(24576), robot_id uuid, realm_id uuid not null,
    registry_id uuid references registries on delete set null,
    registry_project_id uuid references registry_projects on delete set null,
    ${TIMES},
    unique (name, realm_id),
    unique (external_name, registry_id)
  )`,
  index.text('nodes', 'name', 'realm_id'),
  index.match('nodes', 'name'),
  index.textOrder('nodes', 'name'),
  ...index.values('nodes', 'online', 'hidden', 'client_id', 'realm_id', 'robot_id'),
  ...index.values('nodes', 'registry_id', 'registry_project_id', 'created_at', 'updated_at'),

  // What a node last reported about itself; `unbounded`: what its limits do not cover.
  `create table node_sightings (
    client_id uuid primary key,
    seen_at timestamptz(3) not null,
    version varchar(64), clock_difference_ms integer, started_at timestamptz(3),
    unbounded varchar(64)[]
  )`,

  `create table node_presence_spans (
    node_id uuid not null references nodes (id) on delete cascade,
    online_since timestamptz(3) not null, offline_since timestamptz(3),
    primary key (node_id, online_since)
  )`,

  // When the initial secret of the client of a node or an analysis was replaced.
  `create table replaced_secrets (
    record_id uuid primary key,
    replaced_at timestamptz(3) not null
  )`,
]

const MASTER_IMAGES = [
  `create table master_image_groups (
    id uuid primary key, name varchar(128) not null,
    path varchar(512) not null, virtual_path varchar(512) not null,
    ${TIMES}
  )`,
  ...['name', 'path', 'virtual_path'].flatMap((column) => [
    index.text('master_image_groups', column),
    index.match('master_image_groups', column),
  ]),

  `create table master_images (
    id uuid primary key, name varchar not null,
    path varchar(512),
    virtual_path varchar(512) not null, group_virtual_path varchar(512) not null,
    command text, command_arguments text not null default '[]',
    build_status varchar(64), build_progress integer, build_hash varchar(135),
    build_size bigint,
    ${TIMES}
  )`,
  'create index master_images_name_hash on master_images using hash (lower(name))',
  index.match('master_images', 'name'),
  ...['path', 'virtual_path', 'group_virtual_path'].flatMap((column) => [
    index.text('master_images', column),
    index.match('master_images', column),
  ]),
  index.textOrder('master_images', 'path'),

  // Public keys of images that are still accepted but no longer sign images.
  `create table image_keys (
    fingerprint text primary key,
    public_key text not null,
    accepted_at timestamptz(3) not null default now()
  )`,
]

const PROJECTS = [
  `create table projects (
    id uuid primary key, name varchar(256) not null unique,
    display_name varchar(256), description text,
    nodes integer not null default 0, analyses integer not null default 0,
    ${TIMES},
    realm_id uuid not null, client_id uuid, robot_id uuid, user_id uuid,
    master_image_id uuid references master_images on delete set null
  )`,
  ...index.named('projects'),
  index.textOrder('projects', 'display_name'),
  ...index.values('projects', 'realm_id', 'user_id', 'master_image_id', 'created_at', 'updated_at'),

  `create table project_nodes (
    id uuid primary key, approval_status varchar(32),
    comment text,
    ${TIMES},
    project_id uuid not null references projects on delete cascade,
    project_realm_id uuid not null,
    node_id uuid not null references nodes on delete cascade,
    node_realm_id uuid not null,
    unique (project_id, node_id)
  )`,
  index.text('project_nodes', 'approval_status'),
  ...index.values('project_nodes', 'project_id', 'project_realm_id', 'node_id', 'node_realm_id'),
  ...index.values('project_nodes', 'created_at', 'updated_at'),
]

/** The states of a build or a distribution that need attention. */
const UNSETTLED = `'failed', 'starting', 'started', 'stopping', 'executing'`

const ANALYSES = [
  `create table analyses (
    id uuid primary key, name varchar(128) not null,
    display_name varchar(256), description text,
    nodes integer not null default 0, nodes_approved integer not null default 0,
    configuration_locked boolean not null default false,
    configuration_entrypoint_valid boolean not null default false,
    configuration_image_valid boolean not null default false,
    configuration_node_aggregator_valid boolean not null default false,
    configuration_node_default_valid boolean not null default false,
    configuration_nodes_valid boolean not null default false,
    distribution_status varchar(64), distribution_progress integer,
    build_nodes_valid boolean not null default false, build_status varchar(64),
    build_progress integer, build_hash varchar(135), build_os varchar(64),
    build_size bigint, execution_status varchar(64), execution_progress integer,
    registry_id uuid references registries on delete set null,
    client_id uuid, realm_id uuid not null, user_id uuid,
    project_id uuid not null references projects on delete cascade,
    master_image_id uuid references master_images on delete set null,
    image_command_arguments text,
    ${TIMES}
  )`,
  ...index.named('analyses'),
  index.textOrder('analyses', 'display_name'),
  'create index analyses_description_hash on analyses using hash (lower(description))',
  index.match('analyses', 'description'),
  index.text('analyses', 'build_status'),
  index.text('analyses', 'execution_status'),
  ...index.values('analyses', 'configuration_locked', 'project_id', 'realm_id', 'user_id'),
  ...index.values('analyses', 'registry_id', 'master_image_id', 'created_at', 'updated_at'),
  // For each request to storage: the analysis of a client, and the latest ones of a user.
  ...index.plain('analyses', 'client_id'),
  'create index analyses_user_id on analyses (user_id, created_at)',
  `create index analyses_unsettled on analyses (id)
    where build_status in (${UNSETTLED}) or distribution_status in (${UNSETTLED})`,
]

const ASSIGNMENTS = [
  `create table analysis_nodes (
    id uuid primary key, approval_status varchar(32),
    execution_status varchar(32), execution_progress integer, comment text,
    artifact_tag varchar(32), artifact_digest varchar(512),
    analysis_id uuid not null references analyses on delete cascade,
    analysis_realm_id uuid not null,
    node_id uuid not null references nodes on delete cascade,
    node_realm_id uuid not null,
    ${TIMES},
    approved_digest text,
    unique (node_id, analysis_id)
  )`,
  index.text('analysis_nodes', 'approval_status'),
  index.text('analysis_nodes', 'execution_status'),
  ...index.values('analysis_nodes', 'analysis_id', 'analysis_realm_id', 'node_id', 'node_realm_id'),
  ...index.values('analysis_nodes', 'created_at', 'updated_at'),

  // It belongs to node and analysis, not to the assignment, so that a node that is assigned again learns what changed.
  `create table analysis_node_decisions (
    analysis_id uuid not null references analyses on delete cascade,
    node_id uuid not null references nodes on delete cascade,
    decision varchar(16) not null, content_digest varchar(64) not null,
    content jsonb not null,
    actor_type varchar(16) not null, actor_id uuid, actor_name text,
    decided_at timestamptz(3) not null default now(),
    primary key (analysis_id, node_id)
  )`,
  ...index.plain('analysis_node_decisions', 'node_id'),

  `create table analysis_node_events (
    id uuid primary key, event_id uuid,
    analysis_id uuid not null references analyses on delete cascade,
    analysis_realm_id uuid not null,
    node_id uuid not null references nodes on delete cascade,
    node_realm_id uuid not null,
    ${TIMES}
  )`,
  ...index.values('analysis_node_events', 'analysis_id', 'node_id', 'created_at', 'updated_at'),
]

/** The platform creates one bucket of each type, the built-in ones; others may be added. */
const BUCKETS = [
  `create table analysis_buckets (
    id uuid primary key, type varchar(64) not null,
    bucket_id uuid not null,
    analysis_id uuid not null references analyses on delete cascade,
    realm_id uuid not null,
    ${TIMES},
    built_in boolean not null default false,
    unique (bucket_id, analysis_id)
  )`,
  index.text('analysis_buckets', 'type'),
  index.textOrder('analysis_buckets', 'type'),
  ...index.values('analysis_buckets', 'analysis_id', 'bucket_id', 'created_at', 'updated_at'),
  `create unique index analysis_buckets_built_in on analysis_buckets (analysis_id, type)
    where built_in`,

  // A request stores its bucket until all of them can be inserted together. It outlives its analysis, so that the
  // bucket can be deleted.
  `create table analysis_bucket_requests (
    correlation_id varchar(64) primary key,
    analysis_id uuid not null, type varchar(16) not null,
    requested_at timestamptz(3) not null default now(), bucket_id uuid
  )`,
  `create index analysis_bucket_requests_analysis_id
    on analysis_bucket_requests (analysis_id, type)`,

  `create table analysis_bucket_files (
    id uuid primary key, path varchar(256) not null,
    root boolean not null default false,
    bucket_id uuid not null, bucket_file_id uuid not null,
    client_id uuid, robot_id uuid, user_id uuid, realm_id uuid not null,
    analysis_id uuid not null references analyses on delete cascade,
    analysis_bucket_id uuid not null references analysis_buckets on delete cascade,
    ${TIMES},
    unique (analysis_bucket_id, path),
    unique (analysis_bucket_id, bucket_file_id)
  )`,
  'create index analysis_bucket_files_analysis_id_path on analysis_bucket_files (analysis_id, path)',
  index.text('analysis_bucket_files', 'path'),
  index.match('analysis_bucket_files', 'path'),
  index.textOrder('analysis_bucket_files', 'path'),
  ...index.values('analysis_bucket_files', 'root', 'analysis_bucket_id', 'bucket_file_id'),
  ...index.values('analysis_bucket_files', 'user_id', 'created_at', 'updated_at'),

  // Files that callers removed while storage still has them, so that no comparison adds them again.
  `create table removed_analysis_files (
    analysis_bucket_id uuid not null references analysis_buckets on delete cascade,
    bucket_file_id uuid not null,
    removed_at timestamptz(3) not null default now(),
    primary key (analysis_bucket_id, bucket_file_id)
  )`,
  ...index.plain('removed_analysis_files', 'bucket_file_id'),

  // The lock at storage of each analysis with a locked configuration. It outlives its analysis.
  `create table analysis_code_locks (
    id uuid primary key, analysis_id uuid not null unique,
    created_at timestamptz(3) not null default now()
  )`,
]

/** The current run of each process. `traceparent` is the trace of the command that started it; nodes continue it. */
const RUNS = [
  `create table analysis_runs (
    analysis_id uuid not null references analyses on delete cascade,
    process varchar(16) not null, run varchar(64) not null,
    started_at timestamptz(3) not null default now(),
    reported_at timestamptz(3) not null default now(),
    check_requested_at timestamptz(3), problem text,
    unresponsive_at timestamptz(3), traceparent varchar(55),
    primary key (analysis_id, process)
  )`,
  ...index.plain('analysis_runs', 'reported_at'),

  // The builds of master images, and the synchronization: reports must name their run.
  `create table master_image_runs (
    subject varchar(36) primary key,
    run varchar(64) not null, started_at timestamptz not null default now()
  )`,
]

/** The columns whose changes are recorded. Initial values have no entry: they apply since the record was created. */
const FOLLOWED = {
  analyses: [
    'registry_id',
    'configuration_locked',
    'configuration_entrypoint_valid',
    'configuration_image_valid',
    'configuration_node_aggregator_valid',
    'configuration_node_default_valid',
    'build_nodes_valid',
    'build_status',
    'distribution_status',
    'execution_status',
  ],
  analysis_nodes: ['approval_status', 'execution_status'],
  project_nodes: ['approval_status'],
  nodes: ['registry_id'],
} as const

/** The problem of a failed build or distribution is part of the history, where it survives a retry. */
const STATUS_HISTORY = [
  `create table status_history (
    position bigint generated always as identity primary key,
    subject_id uuid not null, name varchar(64) not null, value text,
    changed_at timestamptz(3) not null default clock_timestamp()
  )`,
  'create index status_history_subject on status_history (subject_id, name, position)',

  `create function record_status_change() returns trigger language plpgsql as $$
  declare
    before jsonb := to_jsonb(old);
    after jsonb := to_jsonb(new);
  begin
    insert into status_history (subject_id, name, value)
    select new.id, followed.name, after->>followed.name
    from unnest(tg_argv) with ordinality as followed (name, turn)
    where before->followed.name is distinct from after->followed.name
    order by turn;
    return null;
  end $$`,
  `create function delete_status_history() returns trigger language plpgsql as $$
      begin
        delete from status_history where subject_id = old.id;
        return null;
      end $$`,
  ...Object.entries(FOLLOWED).flatMap(([table, columns]) => followStatus(table, columns)),

  `create function record_problem() returns trigger language plpgsql as $$
      begin
        insert into status_history (subject_id, name, value)
        values (new.analysis_id, new.process || '_problem', new.problem);
        return null;
      end $$`,
  `create trigger record_problem after update of problem on analysis_runs for each row
    when (new.problem is not null and old.problem is distinct from new.problem)
    execute function record_problem()`,
]

function followStatus(table: string, columns: readonly string[]): string[] {
  const changed = columns.map((name) => `old.${name} is distinct from new.${name}`)
  const names = columns.map((name) => `'${name}'`)
  return [
    `create trigger record_status_change after update of ${columns.join()} on ${table} for each row
      when (${changed.join(' or ')}) execute function record_status_change(${names.join()})`,
    `create trigger delete_status_history after delete on ${table} for each row
      execute function delete_status_history()`,
  ]
}

const INSTALLATION = [
  `create table tasks (
    queue varchar(32) not null, key varchar(128) not null, data jsonb not null,
    revision integer not null default 1, attempts integer not null default 0,
    due_at timestamptz(3) not null, leased_until timestamptz(3),
    primary key (queue, key)
  )`,
  'create index tasks_due_at on tasks (queue, due_at)',

  // The backups that were taken, so that operators see the age of the last one.
  `create table backups (
    id varchar(64) primary key,
    started_at timestamptz(3) not null, ended_at timestamptz(3) not null,
    version varchar(64) not null
  )`,
]

/** The tables with maintained totals, each with its realm column. */
const LISTS = [
  ['analyses', 'realm_id'],
  ['analysis_bucket_files', 'realm_id'],
  ['analysis_buckets', 'realm_id'],
  ['analysis_node_events', undefined],
  ['analysis_nodes', undefined],
  ['master_image_groups', undefined],
  ['master_images', undefined],
  ['nodes', 'realm_id'],
  ['project_nodes', undefined],
  ['projects', 'realm_id'],
  ['registries', undefined],
  ['registry_projects', 'realm_id'],
] as const
