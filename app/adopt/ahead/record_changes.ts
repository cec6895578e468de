import type pg from 'pg'

import { RUNNING } from '#core/analysis_life/processes'
import { MESSAGE_LIFETIME } from '#messenger/messages/lifetime'
import { ownRows } from '#adopt/rows/own_rows'
import type { Service } from '#adopt/transfer'
import type { UpcomingChange } from './upcoming_change.js'

interface Forecast {
  readonly service: Service
  readonly table: string
  readonly where: string
  readonly problem: string
}

const running = RUNNING.map((status) => `'${status}'`).join()

/** What the sweeps of a service do to records by what these say themselves. */
const FORECASTS: readonly Forecast[] = [
  {
    service: 'core',
    table: 'analyses',
    where: `build_status in (${running})`,
    problem: 'is being built: a worker is asked, and if none answers, the build fails',
  },
  {
    service: 'core',
    table: 'analyses',
    where: `distribution_status in (${running})`,
    problem: 'is being distributed: a worker is asked, and if none answers, the distribution fails',
  },
  {
    service: 'core',
    table: 'analyses',
    where: 'client_id is null',
    problem: 'has no client: one is created at the identity provider',
  },
  {
    service: 'core',
    table: 'nodes',
    where: 'client_id is null',
    problem: 'has no client: one is created at the identity provider',
  },
  {
    service: 'core',
    table: 'registry_projects',
    where: `not exists (select from registry_links l
      where l.registry_id = registry_projects.registry_id and l.external_name = registry_projects.external_name)`,
    problem:
      'is not linked: its project and account in the registry are made or taken over (GET /core/registry-projects/:id/adoption shows what changes)',
  },
  {
    service: 'messenger',
    table: 'messages',
    where: `created_at <= now() + interval '1 hour' - ${MESSAGE_LIFETIME}`,
    problem: 'expires within an hour: it is removed unless it is read by then',
  },
]

/** Records of a service that its sweeps change in the first hour. */
export async function* recordChanges(
  service: Service,
  pool: pg.Pool
): AsyncGenerator<UpcomingChange, void, void> {
  const source = ownRows(pool)
  for (const { table, where, problem } of FORECASTS.filter((one) => one.service === service)) {
    for await (const rows of source.read({ table, columns: ['id'], order: ['id'], where })) {
      yield* rows.map(({ id }) => ({ table: `${service}.${table}`, problem, id: id! }))
    }
  }
}
