import type { Service } from '#adopt/transfer'
import type { Dialect } from './dialect.js'

/** Invalid rows that a run names, with the reported reason, by table. */
export const NAMED: Readonly<Record<string, readonly string[]>> = {
  project_nodes: ['approval_status is "maybe"'],
  analyses: ['image_command_arguments is not a list of arguments'],
  analysis_nodes: ['analysis_id names a record of analyses'],
  analysis_buckets: ['analysis_id names a record of analyses'],
  analysis_bucket_files: ['names a record of analys'],
  bucket_files: ['directory is longer than 512 characters'],
  events: ['data is not valid JSON', 'expires_at is not a time'],
}

type Statement = readonly [Service, string]

export function oddities(dialect: Dialect): readonly Statement[] {
  const { id, time } = dialect
  const times = `${time('1')}, ${time('2')}`
  return [
    [
      'core',
      `update project_nodes set approval_status = 'maybe' where id = ${id('project-node-4-', '6')}`,
    ],
    [
      'core',
      `insert into analysis_buckets (id, type, bucket_id, analysis_id, realm_id, created_at, updated_at)
       values (${id('odd', '1')}, 'CODE', ${id('odd', '2')}, ${id('analysis', '0')}, ${id('realm', '0')}, ${times})`,
    ],
    ...oddAnalysis(dialect),
    [
      'storage',
      `insert into bucket_files (id, name, path, hash, directory, size, actor_type, actor_id, bucket_id, created_at,
         updated_at)
       values (${id('odd', '1')}, 'odd', 'odd', 'odd', '${'x'.repeat(513)}', 1, 'user', ${id('user', '1')},
         ${id('bucket', '0')}, ${times})`,
    ],
    [
      'telemetry',
      `insert into events (id, scope, name, ref_type, data, created_at, updated_at)
       values (${id('odd', '1')}, 'entity', 'created', 'node', 'not json', ${times})`,
    ],
    [
      'telemetry',
      `insert into events (id, scope, name, ref_type, expires_at, created_at, updated_at)
       values (${id('odd', '2')}, 'entity', 'created', 'node', 'someday', ${times})`,
    ],
  ]
}

/** An invalid analysis, with a dependent row of each kind. */
function oddAnalysis({ id, time }: Dialect): readonly Statement[] {
  const [analysis, bucket, realm] = [id('odd', '3'), id('odd', '4'), id('realm', '0')]
  const times = `${time('1')}, ${time('2')}`
  return [
    `insert into analyses (id, name, image_command_arguments, realm_id, project_id, created_at, updated_at)
     values (${analysis}, 'odd', '[{"value":["-u"]}]', ${realm}, ${id('project', '1')}, ${times})`,
    `insert into analysis_nodes (id, analysis_id, analysis_realm_id, node_id, node_realm_id, created_at, updated_at)
     values (${id('odd', '5')}, ${analysis}, ${realm}, ${id('node', '1')}, ${realm}, ${times})`,
    `insert into analysis_buckets (id, type, bucket_id, analysis_id, realm_id, created_at, updated_at)
     values (${bucket}, 'CODE', ${id('odd', '6')}, ${analysis}, ${realm}, ${times})`,
    `insert into analysis_bucket_files (id, path, bucket_id, bucket_file_id, realm_id, analysis_id, analysis_bucket_id,
       created_at, updated_at)
     values (${id('odd', '7')}, 'odd.py', ${id('odd', '6')}, ${id('odd', '8')}, ${realm}, ${analysis}, ${bucket}, ${times})`,
  ].map((statement) => ['core', statement])
}

/** Rows with loose values that are still unambiguous. */
export function looseRows({ id, text, time }: Dialect): readonly Statement[] {
  const event = (number: number, data: string) =>
    `insert into events (id, scope, name, ref_type, data, expires_at, created_at, updated_at)
     values (${id('loose', `${number}`)}, 'entity', 'created', 'node', ${text(data)}, '', ${time('1')}, ${time('2')})`
  return [
    [
      'core',
      `update master_images set build_size = -1, command_arguments = '["-u",{"value":7,"position":"After"}]'
       where id = ${id('image', '4')}`,
    ],
    ['core', `update registry_projects set type = null where id = ${id('registry-project', '6')}`],
    ['core', `update nodes set public_key = 'undefined', type = '' where id = ${id('node', '6')}`],
    [
      'core',
      `update project_nodes set approval_status = 'null' where id = ${id('project-node-3-', '6')}`,
    ],
    [
      'core',
      `update project_nodes set approval_status = '"Approved"' where id = ${id('project-node-2-', '6')}`,
    ],
    [
      'core',
      `update analyses set execution_status = 'undefined', distribution_status = '',
       image_command_arguments = ${text(JSON.stringify('[{"value":"-v"}]'))} where id = ${id('analysis', '1')}`,
    ],
    ['storage', `update bucket_files set size = -1 where id = ${id('file', '2')}`],
    ['telemetry', event(1, 'undefined')],
    ['telemetry', event(2, 'null')],
    ['telemetry', event(3, JSON.stringify('{"diff":{}}'))],
    ['messenger', `update messages set metadata = 'undefined' where id = ${id('message', '1')}`],
  ]
}
