import type { Dialect } from './dialect.js'

const FILES_OF_A_BUCKET = 300
const MINUTES = 60

/** One of a few realms. Some records do not name theirs. */
const realm = (dialect: Dialect, n: string) => dialect.id('realm', `mod(${n}, 3)`)

type Service = 'core' | 'storage' | 'telemetry' | 'messenger'

/**
 * Statements that fill the tables of a service: `rows` bucket files and events, and a proportional number of other
 * records.
 */
export function filling(service: Service, rows: number, dialect: Dialect): string[] {
  const buckets = Math.ceil(rows / FILES_OF_A_BUCKET)
  const counts = { rows, buckets, analyses: Math.ceil(buckets / 3) }
  return FILLINGS[service](dialect, counts)
}

interface Counts {
  readonly rows: number
  readonly buckets: number
  readonly analyses: number
}

const FILLINGS: Record<Service, (dialect: Dialect, counts: Counts) => string[]> = {
  core: fillCore,
  storage: fillStorage,
  telemetry: fillTelemetry,
  messenger: fillMessenger,
}

/** The bucket of a file, and the analysis and type of a bucket. */
const bucketOf = (dialect: Dialect, n: string) => dialect.quotient(`${n} - 1`, FILES_OF_A_BUCKET)
const analysisOf = (dialect: Dialect, bucket: string) => dialect.quotient(bucket, 3)
const purposeOf = (bucket: string) =>
  `case mod(${bucket}, 3) when 0 then 'CODE' when 1 then 'RESULT' else 'TEMP' end`

/** Without arguments, the former platform writes `null`, `undefined` or an empty text. */
const argumentsOf = (n: string) =>
  `case mod(${n}, 5) when 0 then '[{"value":"--verbose","position":"after"}]' when 1 then 'null' when 2 then 'undefined'
     when 3 then '' end`

function fillCore(dialect: Dialect, { rows, buckets, analyses }: Counts): string[] {
  const { id, time, series } = dialect
  const times = (n: string) => `${time(n)}, ${time(`${n} + 5`)}`
  const bucket = `(n - 1)`
  const analysis = (n: string) => id('analysis', n)
  return [
    `insert into registries (id, name, host, account_name, account_secret, created_at, updated_at)
     select ${id('registry', 'n')}, concat('registry-', n), concat('registry-', n, '.example.org'), 'admin',
       concat('Geheim-', n, '-€'), ${times('n')} from ${series(2)}`,
    `insert into registry_projects (id, name, type, public, external_name, external_id, account_name,
       account_secret, webhook_name, webhook_exists, registry_id, realm_id, created_at, updated_at)
     select ${id('registry-project', 'n')}, concat('project-', n), 'node', mod(n, 2) = 0, concat('external-', n),
       concat('', n), concat('robot-', n), concat('Robot-Secret-', n), 'hook', mod(n, 3) = 0, ${id('registry', '1')},
       ${realm(dialect, 'n')}, ${times('n')} from ${series(6)}`,
    `insert into nodes (id, external_name, public_key, name, hidden, type, online, registry_id, registry_project_id,
       client_id, robot_id, realm_id, created_at, updated_at)
     select ${id('node', 'n')}, concat('external-', n), '2d2d2d2d2d424547494e', concat('Node ', n), mod(n, 2) = 0,
       case when n = 1 then 'aggregator' else 'default' end, mod(n, 2) = 1, ${id('registry', '1')},
       ${id('registry-project', 'n')}, ${id('client', 'n')}, ${id('robot', 'n')}, ${realm(dialect, 'n')}, ${times('n')}
     from ${series(6)}`,
    `insert into master_image_groups (id, name, path, virtual_path, created_at, updated_at)
     select ${id('group', 'n')}, concat('group-', n), concat('images/', n), concat('group/', n), ${times('n')}
     from ${series(2)}`,
    `insert into master_images (id, path, virtual_path, group_virtual_path, name, command, command_arguments,
       build_size, created_at, updated_at)
     select ${id('image', 'n')}, concat('images/1/', n), concat('group/1/', n), 'group/1', concat('image-', n),
       'python3', ${argumentsOf('n')}, 5000000000 + n, ${times('n')} from ${series(4)}`,
    `insert into projects (id, name, description, analyses, nodes, realm_id, user_id, client_id, robot_id,
       master_image_id, display_name, created_at, updated_at)
     select ${id('project', 'n')}, concat('project-', n), concat('Größe ', n), 17, 4, ${realm(dialect, 'n')},
       ${id('user', 'n')}, ${id('client', 'n')}, ${id('robot', 'n')}, ${id('image', '1')}, concat('Project ', n),
       ${times('n')} from ${series(4)}`,
    ...[1, 2, 3, 4].map(
      (
        project
      ) => `insert into project_nodes (id, approval_status, comment, project_id, project_realm_id, node_id,
         node_realm_id, created_at, updated_at)
       select ${id(`project-node-${project}-`, 'n')}, case when mod(n, 5) = 4 then null else 'approved' end, 'fine',
         ${id('project', `${project}`)}, ${realm(dialect, `${project}`)}, ${id('node', 'n')}, ${realm(dialect, 'n')},
         ${times('n')} from ${series(6)}`
    ),
    `insert into analyses (id, name, description, nodes, nodes_approved, configuration_locked,
       configuration_entrypoint_valid, build_status, build_progress, build_size, distribution_status,
       image_command_arguments, registry_id, realm_id, user_id, project_id, master_image_id, display_name, client_id,
       created_at, updated_at)
     select ${analysis('(n - 1)')}, concat('analysis-', n), 'What is it?', 3, 1, mod(n, 2) = 0, true,
       case when mod(n, 2) = 0 then 'executed' end, 100, 123456789012, case when mod(n, 4) = 0 then 'starting' end,
       ${argumentsOf('n')}, ${id('registry', '1')},
       ${realm(dialect, 'n')}, ${id('user', 'n')}, ${id('project', '1 + mod(n, 4)')}, ${id('image', '1 + mod(n, 4)')},
       concat('Analysis ', n), ${id('client-of-analysis', 'n')}, ${times('n')} from ${series(analyses)}`,
    ...[1, 2].map(
      (
        node
      ) => `insert into analysis_nodes (id, approval_status, execution_status, execution_progress, comment,
         artifact_tag, artifact_digest, analysis_id, analysis_realm_id, node_id, node_realm_id, created_at, updated_at)
       select ${id(`analysis-node-${node}-`, 'n')}, ${node === 1 ? `'approved'` : 'null'}, null, 10, 'go', 'tag',
         'sha256:1', ${analysis('(n - 1)')}, ${realm(dialect, 'n')}, ${id('node', `${node}`)},
         ${realm(dialect, `${node}`)}, ${times('n')} from ${series(analyses)}`
    ),
    `insert into analysis_node_events (id, event_id, analysis_id, analysis_realm_id, node_id, node_realm_id,
       created_at, updated_at)
     select ${id('node-event', 'n')}, ${id('event', 'n')}, ${analysis('(n - 1)')}, ${realm(dialect, 'n')},
       ${id('node', '1')}, ${realm(dialect, '1')}, ${times('n')} from ${series(analyses)}`,
    `insert into analysis_buckets (id, type, bucket_id, analysis_id, realm_id, created_at, updated_at)
     select ${id('analysis-bucket', bucket)}, ${purposeOf(bucket)}, ${id('bucket', bucket)},
       ${analysis(analysisOf(dialect, bucket))}, ${realm(dialect, bucket)}, ${times('n')} from ${series(buckets)}`,
    `insert into analysis_bucket_files (id, path, root, bucket_id, bucket_file_id, user_id, realm_id, analysis_id,
       analysis_bucket_id, created_at, updated_at)
     select ${id('analysis-file', 'n')}, concat('folder/file-', n, '.py'), mod(n, ${FILES_OF_A_BUCKET}) = 1,
       ${id('bucket', bucketOf(dialect, 'n'))}, ${id('file', 'n')}, ${id('user', '1')}, ${realm(dialect, 'n')},
       ${analysis(analysisOf(dialect, bucketOf(dialect, 'n')))}, ${id('analysis-bucket', bucketOf(dialect, 'n'))}, ${times('n')}
     from ${series(rows)}`,
  ]
}

function fillStorage(dialect: Dialect, { rows, buckets }: Counts): string[] {
  const { id, time, series } = dialect
  return [
    `insert into buckets (id, name, region, actor_id, actor_type, realm_id, created_at, updated_at)
     select ${id('bucket', '(n - 1)')}, concat('bucket-', n), case when mod(n, 2) = 0 then 'us-east-1' end,
       case when mod(n, 3) = 0 then ${id('user', '1')} end, case when mod(n, 3) = 0 then 'user' end,
       case when mod(n, 4) > 0 then ${realm(dialect, 'n')} end, ${time('n')}, ${time('n + 5')}
     from ${series(buckets)}`,
    `insert into bucket_files (id, name, path, hash, directory, size, actor_type, actor_id, realm_id, bucket_id,
       created_at, updated_at)
     select ${id('file', 'n')}, concat('file-', n, '.py'), concat('folder/file-', n, '.py'),
       concat(md5(concat('one', n)), md5(concat('two', n))), 'folder', 7, 'user', ${id('user', '1')},
       ${realm(dialect, 'n')}, ${id('bucket', bucketOf(dialect, 'n'))}, ${time('n')}, ${time('n + 5')} from ${series(rows)}`,
  ]
}

function fillTelemetry(dialect: Dialect, { rows }: Counts): string[] {
  const { id, time, series, quotient } = dialect
  return [
    `insert into events (id, scope, name, ref_type, ref_id, data, expiring, request_path, request_method,
       request_ip_address, request_user_agent, actor_type, actor_id, actor_name, realm_id, expires_at, created_at,
       updated_at)
     select ${id('event', 'n')}, 'entity', case when mod(n, 3) = 0 then 'created' else 'updated' end, 'analysis',
       concat('', ${id('analysis', 'mod(n, 50)')}),
       case when mod(n, 3) > 0 then '{"diff":{"build_status":{"next":"started","previous":"starting"},"build_hash":{"next":1,"previous":null}}}' end,
       mod(n, 2) = 0, '/analyses/1', 'POST', '10.0.0.1', 'a browser', 'user', ${id('user', '1')}, 'Jörg',
       case when mod(n, 4) > 0 then ${realm(dialect, 'n')} end,
       case when mod(n, 2) = 0 then concat('2031-04-', 10 + mod(${quotient('n', 2_000)}, 18), 'T06:07:08.000Z') end,
       ${time('n')}, ${time('n')} from ${series(rows)}`,
  ]
}

/** A tenth of the messages has expired; the others are a few minutes old. */
function fillMessenger(dialect: Dialect, { rows }: Counts): string[] {
  const { id, series, time } = dialect
  const count = Math.max(20, Math.ceil(rows / 100))
  const since = Math.floor(Date.now() / 1_000) - Date.UTC(2026, 10, 1) / 1_000 - 10 * MINUTES
  const created = `case when mod(n, 10) = 0 then ${since} - 90000 else ${since} + mod(n, 60) end`
  return [
    `insert into messages (id, sender_type, sender_id, recipient_type, recipient_id, data, metadata, created_at,
       expires_at)
     select ${id('message', 'n')}, 'user', ${id('user', 'n')}, 'client', ${id('client', 'mod(n, 5)')},
       case mod(n, 3) when 0 then concat('sealed text ', n) when 1 then '{"a":[1,2]}' end,
       case when mod(n, 2) = 0 then '{"analysisId":"1"}' end, ${time(created)}, ${time(`${created} + 86400`)}
     from ${series(count)}`,
  ]
}
