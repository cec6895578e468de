import { randomUUID } from 'node:crypto'

import { eventually } from '#tests/helpers/eventually'
import { Caller } from './caller.js'
import type { LifeInstallation } from './installation.js'

/** All that somebody needs for any part in the life of an analysis: what they are refused then is for their realm. */
const EVERYTHING = [
  'project_create',
  'project_update',
  'project_approve',
  'node_update',
  'analysis_create',
  'analysis_update',
  'analysis_delete',
  'analysis_approve',
  'bucket_create',
  'log_read',
  'log_delete',
]

const SOON_MS = 100_000

/** Makes up realms, the people in them, and the programs of nodes. */
export class People {
  readonly admin: Caller
  readonly #installation: LifeInstallation

  static async of(installation: LifeInstallation): Promise<People> {
    const person = { username: 'admin', password: 'start123' }
    const admin = await Caller.login(installation, { grant_type: 'password', ...person })
    return new People(installation, admin)
  }

  private constructor(installation: LifeInstallation, admin: Caller) {
    this.#installation = installation
    this.admin = admin
  }

  async realm(): Promise<string> {
    const { id } = await this.admin.done('auth', 'POST', '/realms', {
      name: `realm-${randomUUID()}`,
    })
    return id
  }

  async member(realmId: string, permissions: readonly string[] = EVERYTHING): Promise<Caller> {
    const { admin } = this
    const [username, password] = [`guest-${randomUUID()}`, randomUUID()]
    const user = await admin.done('auth', 'POST', '/users', { name: username, password, realmId })
    for (const name of permissions) {
      const [permission] = await admin.done('auth', 'GET', `/permissions?filter[name]=${name}`)
      const grant = { userId: user.id, permissionId: permission.id }
      await admin.done('auth', 'POST', '/user-permissions', grant)
    }
    const person = { username, password, realm_id: realmId }
    return Caller.login(this.#installation, { grant_type: 'password', ...person })
  }

  /** The program that runs on a node, which may do something a moment after the node is made. */
  async programOf(nodeId: string): Promise<Caller> {
    const path = `/nodes/${nodeId}/client/credentials`
    const { id, secret } = await this.admin.done('core', 'GET', path)
    await eventually(async () => {
      const query = `filter[clientId]=${id}`
      const given = await this.admin.done('auth', 'GET', `/client-permissions?${query}`)
      return given.length > 0
    }, SOON_MS)
    const client = { client_id: id, client_secret: secret }
    return Caller.login(this.#installation, { grant_type: 'client_credentials', ...client })
  }
}
