import { corePool } from '#core/database'
import type { RunningJob } from '#jobs/running_job'
import type { Attributes } from '#records/row'
import { unseal } from '#records/sealing'
import { drain } from '#kernel/drain'
import { boot } from '#tests/helpers/application'
import { emptyOutbox } from '#tests/helpers/outbox/empty_outbox'
import { eventually } from '#tests/helpers/eventually'
import { ACCOUNT, HarborServer } from '#tests/helpers/core/harbor_server'
import { identity } from '#tests/helpers/identities'

import { call, uniqueName } from './node_scene.js'

/** A caller of the master realm with all permissions. */
export const admin = () => identity()

export const send = (method: string, path: string, body?: unknown, by = admin()) =>
  call(method, path, { headers: by.headers, body })

/** Starts the outbox and the consumers of commands. Returns a function that stops them. */
export async function startCommands(): Promise<() => Promise<void>> {
  const app = await boot()
  const [outbox, bus] = await Promise.all([import('#start/outbox'), import('#start/bus')])
  await emptyOutbox()
  const jobs: RunningJob[] = [await bus.start({ app, drain }), await outbox.start({ app, drain })]
  return async () => {
    await Promise.all(jobs.map((job) => job.stop()))
  }
}

const readable = (row: Attributes): Attributes => ({
  ...row,
  account_secret: unseal('registry project account', row.account_secret as string | null),
})

/** A registry with a fake Harbor. */
export class RegistryScene {
  private constructor(
    readonly harbor: HarborServer,
    readonly id: string
  ) {}

  static async create(account: object = ACCOUNT): Promise<RegistryScene> {
    const harbor = await HarborServer.start()
    const { body } = await send('POST', '/registries', {
      name: uniqueName('registry'),
      host: harbor.host,
      ...account,
    })
    return new RegistryScene(harbor, body.data.id)
  }

  async end(): Promise<void> {
    try {
      await corePool().query('delete from registries where id = $1', [this.id])
    } finally {
      await this.harbor.stop()
    }
  }

  command = (command: string, id: unknown = this.id, more: object = {}) =>
    send('POST', '/services/registry/command', { command, id, ...more })

  async project(body: object = {}): Promise<Attributes> {
    const made = await send('POST', '/registry-projects', {
      name: uniqueName('project'),
      externalName: uniqueName('external'),
      type: 'default',
      registryId: this.id,
      ...body,
    })
    return made.body.data
  }

  async row(id: unknown): Promise<Attributes | undefined> {
    const { rows } = await corePool().query('select * from registry_projects where id = $1', [id])
    return rows[0] && readable(rows[0])
  }

  async rows(): Promise<Attributes[]> {
    const { rows } = await corePool().query(
      'select * from registry_projects where registry_id = $1 order by name',
      [this.id]
    )
    return rows.map(readable)
  }

  async links(): Promise<Attributes[]> {
    const { rows } = await corePool().query(
      `select l.*, t.due_at, t.leased_until from registry_links l left join tasks t
         on t.queue = 'registry-link' and t.key = l.registry_id || '/' || l.external_name
       where registry_id = $1 order by external_name`,
      [this.id]
    )
    return rows
  }

  /** The project once it is linked. */
  linked = (id: unknown): Promise<Attributes> =>
    eventually(async () => {
      const row = await this.row(id)
      return row?.external_id ? row : undefined
    })

  /** Resolves when the registry has no tasks and no pending commands. */
  settled = (): Promise<boolean> =>
    eventually(async () => {
      const { rowCount } = await corePool().query(
        `select 1 from tasks where queue = 'registry-link' and data->>'registryId' = $1::text
         union all select 1 from outbox where queue = 'registryCommands'`,
        [this.id]
      )
      return rowCount === 0
    })

  /** Resolves when a link has failed and can be retried. */
  failed = (): Promise<Attributes> =>
    eventually(async () =>
      (await this.links()).find((link) => link.problem !== null && link.leased_until === null)
    )

  /** Ends the pause of the registry and makes all its links due. */
  async makeDue(): Promise<void> {
    await corePool().query(
      'update registry_states set paused_until = null where registry_id = $1',
      [this.id]
    )
    await corePool().query(
      `update tasks set due_at = now() - interval '1 second'
       where queue = 'registry-link' and data->>'registryId' = $1`,
      [this.id]
    )
  }
}
