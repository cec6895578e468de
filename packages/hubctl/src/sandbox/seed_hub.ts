import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { NamedRecord } from '#hubctl/kinds/find_record'
import { findRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import {
  CLIENTS,
  MASTER_IMAGES,
  NODES as NODE_RECORDS,
  PROJECT_NODES,
  PROJECTS,
  REALMS,
  REGISTRIES,
  ROLES,
  USERS,
} from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'
import { writePrivate } from '#hubctl/settings/private_file'
import {
  ANALYST,
  ANALYST_REALM,
  MASTER_IMAGE,
  NODES,
  PROJECT,
  stewardOf,
  type SandboxNode,
} from './network.js'
import type { SandboxFolder } from './sandbox_folder.js'
import { ensureJoined, ensureNamed, ensureRole } from './seed_records.js'

const SYNC_MS = 120_000
const POLL_MS = 500

interface PublishedKey {
  readonly publicKey: string
}

/** Makes the records of the sandbox that are not there yet. */
export class SandboxSeed {
  readonly #admin: Api
  readonly #folder: SandboxFolder

  /** With the login of the administrator. */
  constructor(admin: Api, folder: SandboxFolder) {
    this.#admin = admin
    this.#folder = folder
  }

  /** Realms, users and nodes, and the credentials of the nodes. */
  async network(): Promise<void> {
    const registry = await this.#registry()
    const { analyst, stewards } = await this.#folder.secrets()
    for (const node of NODES) {
      const realm = await ensureNamed(this.#admin, REALMS, node.realm, {})
      await this.#node(node, realm, registry)
      if (node.hospital) {
        await this.#user(stewardOf(node), realm, 'steward', stewards)
      }
    }
    const institute = await findRecord(this.#admin, REALMS, ANALYST_REALM)
    await this.#user(ANALYST, institute, 'researcher', analyst)
  }

  /** A node of its own at a hub elsewhere, in a realm with its name. A node that others run is not taken over. */
  async newNode(node: SandboxNode): Promise<void> {
    const { name, type } = node
    const isOwn = existsSync(join(this.#folder.node(name), 'credentials.json'))
    const isThere = await this.#hasNode(name)
    if (isOwn !== isThere) {
      throw isThere ? nameTaken(name) : folderTaken(this.#folder.node(name))
    }
    const realm = await ensureNamed(this.#admin, REALMS, node.realm, {})
    const [registry] = await allOf<NamedRecord>(this.#admin, REGISTRIES.service, REGISTRIES.path)
    if (!registry) {
      throw new Problem(EXIT.notFound, 'The hub has no registry, so it distributes no images.', [
        'hubctl create registry name=local host=local-images',
      ])
    }
    if (!isThere) {
      const attributes = { name, type, realmId: realm.id, registryId: registry.id }
      await this.#admin.change('POST', NODE_RECORDS.service, NODE_RECORDS.path, attributes)
    }
    await this.#node(node, realm, registry)
  }

  /** The project of the analyst, with all nodes in it. */
  async project(analyst: Api, approverOf: (node: SandboxNode) => Api): Promise<void> {
    const project = await ensureNamed(analyst, PROJECTS, PROJECT, {})
    for (const node of NODES) {
      const { id: nodeId } = await findRecord(this.#admin, NODE_RECORDS, node.name)
      const joined = await ensureJoined(analyst, PROJECT_NODES, { projectId: project.id, nodeId })
      if (joined.approvalStatus === null) {
        await approverOf(node).change(
          'POST',
          PROJECT_NODES.service,
          pathOf(PROJECT_NODES, joined.id),
          {
            approvalStatus: 'approved',
          }
        )
      }
    }
  }

  /** Waits until the hub has the master image that is in its folder of images. */
  async masterImage(): Promise<void> {
    const path = `${MASTER_IMAGES.path}/command`
    await this.#admin.change('POST', MASTER_IMAGES.service, path, { command: 'sync' })
    for (const deadline = Date.now() + SYNC_MS; ; await pause(POLL_MS)) {
      const [image] = await allOf(this.#admin, MASTER_IMAGES.service, MASTER_IMAGES.path, {
        query: [['filter[virtualPath]', MASTER_IMAGE]],
      })
      if (image) {
        return
      }
      if (Date.now() > deadline) {
        throw new Problem(EXIT.failed, `The hub did not find the master image ${MASTER_IMAGE}.`)
      }
    }
  }

  /** The keys of the hub that nodes trust. */
  async signingKeys(): Promise<string> {
    const { data } = await this.#admin.read<{ data: readonly PublishedKey[] }>(
      'core',
      '/image-keys'
    )
    return data.map(({ publicKey }) => publicKey.trim()).join('\n')
  }

  async #hasNode(name: string): Promise<boolean> {
    const found = await allOf(this.#admin, NODE_RECORDS.service, NODE_RECORDS.path, {
      query: [['filter[name]', name]],
    })
    return found.length > 0
  }

  async #registry(): Promise<NamedRecord> {
    const registry = await ensureNamed(this.#admin, REGISTRIES, 'local', { host: 'local-images' })
    await this.#admin.change('POST', 'core', '/services/registry/command', {
      command: 'setup',
      id: registry.id,
    })
    return registry
  }

  async #node(node: SandboxNode, realm: NamedRecord, registry: NamedRecord): Promise<void> {
    const { name, type } = node
    const attributes = { type, realmId: realm.id, registryId: registry.id }
    const { id } = await ensureNamed(this.#admin, NODE_RECORDS, name, attributes)
    const folder = this.#folder.node(name)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const credentials = join(folder, 'credentials.json')
    if (!existsSync(credentials)) {
      const answer = await this.#admin.change<{ id: string; secret: string }>(
        'POST',
        'core',
        `${pathOf(NODE_RECORDS, id)}/client/credentials`,
        {}
      )
      await writePrivate(credentials, { id: answer!.id, secret: answer!.secret })
    }
    await this.#approver(join(folder, 'approver.json'), realm)
  }

  /** The client that publishes the key of a node, and approves for it. */
  async #approver(file: string, realm: NamedRecord): Promise<void> {
    if (existsSync(file)) {
      return
    }
    const secret = randomBytes(24).toString('base64url')
    const created = await this.#admin.change<{ data: NamedRecord }>(
      'POST',
      CLIENTS.service,
      CLIENTS.path,
      { name: 'approver', realmId: realm.id, secret }
    )
    const { id } = created!.data
    const role = await findRecord(this.#admin, ROLES, 'steward')
    await ensureRole(this.#admin, 'client', id, role.id)
    await writePrivate(file, { id, secret })
  }

  async #user(name: string, realm: NamedRecord, roleName: string, password: string): Promise<void> {
    const where = `eq(realmId,'${realm.id}')`
    const user = await ensureNamed(this.#admin, USERS, name, { realmId: realm.id, password }, where)
    const role = await findRecord(this.#admin, ROLES, roleName)
    await ensureRole(this.#admin, 'user', user.id, role.id)
  }
}

const nameTaken = (name: string): Problem =>
  new Problem(EXIT.refused, `The hub has a node ${name} already.`, [
    'Choose another name, or run that one with a settings file of its own:',
    `hubctl node rotate-credentials ${name} --to credentials.json`,
    'hubctl sandbox join node.yaml (docs/nodes.md)',
  ])

const folderTaken = (folder: string): Problem =>
  new Problem(EXIT.refused, `${folder} is of a node that this hub does not have.`, [
    'Choose another name, or another --folder.',
  ])
