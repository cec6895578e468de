import type { Service } from '#adopt/transfer'
import type { Dialect } from './dialect.js'

/** What an installation may have that does not fit, by the table it is in and what is said of it. */
export const NAMED: Readonly<Record<string, readonly string[]>> = {
  project_nodes: ['approval_status is "maybe"'],
  analysis_buckets: ['analysis_id and type'],
  bucket_files: ['directory is longer than 512 characters'],
  events: ['data is no JSON', 'expires_at is no time'],
}

export function oddities({ id, time }: Dialect): readonly (readonly [Service, string])[] {
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
