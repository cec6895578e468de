import { appendFile } from 'node:fs/promises'

import { BaseCommand, flags } from '@adonisjs/core/ace'

import type { OldSecret } from '#core/clients/old_secrets'
import type { Origin } from '#kernel/origin'

const AGE = /^(\d{1,5})([dhm])$/
const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000 }
const KINDS = ['node', 'analysis'] as const

export default class CredentialsRotate extends BaseCommand {
  static commandName = 'credentials:rotate'
  static description = 'Replace old secrets of nodes and analyses'
  static help = [
    'credentials:rotate --older-than=30d --dry-run       list them, the oldest first',
    'credentials:rotate --older-than=30d                 replace each by a random secret',
    'credentials:rotate --older-than=30d --kind=node --to=$HOME/nodes.secrets.jsonl',
    'Clients with an old secret cannot log in until they have the new one. Secrets are never shown: users who may',
    'update the node or analysis read them at /nodes/<id>/client/credentials (/analyses/<id>/client/…), or --to',
    'writes them to a new file with mode 600.',
  ]
  static options = { startApp: true }

  @flags.string({ description: 'Age in days, hours or minutes: 30d, 12h, 5m' })
  declare olderThan: string | undefined

  @flags.string({ description: 'Only secrets of nodes (node) or of analyses (analysis)' })
  declare kind: string | undefined

  @flags.string({ description: 'New file for the secrets, one line of JSON each' })
  declare to: string | undefined

  @flags.boolean({ description: 'Change nothing' })
  declare dryRun: boolean | undefined

  async run() {
    const age = AGE.exec(this.olderThan ?? '')
    const kinds = KINDS.filter((kind) => this.kind === undefined || this.kind === kind)
    if (!age || kinds.length === 0) {
      return this.#refuse(
        'Pass an age: --older-than=30d (or 12h, 5m), and optionally --kind=node or --kind=analysis'
      )
    }
    const [, count, unit] = age
    const ageMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
    const { oldSecrets } = await import('#core/clients/old_secrets')
    const { corePool } = await import('#core/database')
    const found = await oldSecrets(corePool(), { before: new Date(Date.now() - ageMs), kinds })
    if (this.dryRun) {
      return this.#list(found)
    }
    await this.#rotateAll(found)
  }

  #list(found: readonly OldSecret[]) {
    if (found.length === 0) {
      return this.logger.info('no secret is that old')
    }
    const table = this.ui.table().head(['kind', 'id', 'name', 'since'])
    found.forEach(({ kind, id, name, since }) => table.row([kind, id, printable(name), since]))
    table.render()
  }

  async #rotateAll(found: readonly OldSecret[]) {
    const { serviceOrigin } = await import('#auth/service_origin')
    if (this.to !== undefined) {
      await appendFile(this.to, '', { mode: 0o600, flag: 'wx' })
    }
    const origin = await serviceOrigin()
    let failed = 0
    for (const secret of found) {
      try {
        await this.#appendSecret(secret, await this.#rotate(origin, secret))
        this.logger.success(
          `${secret.kind} ${secret.id} (${printable(secret.name)}) has a new secret`
        )
      } catch (error) {
        failed++
        this.logger.error(
          `${secret.kind} ${secret.id} keeps its secret: ${(error as Error).message}`
        )
      }
    }
    this.logger.info(`${found.length - failed} secrets were replaced`)
    this.exitCode = failed > 0 ? 1 : 0
  }

  async #rotate(origin: Origin, { kind, id }: OldSecret): Promise<string | null> {
    const { container } = this.app
    if (kind === 'node') {
      const { NodeCredentials } = await import('#core/nodes/node_credentials')
      const credentials = await container.make(NodeCredentials)
      const { secret } = await credentials.rotate(origin, id, {})
      return secret
    }
    const { AnalysisCredentials } = await import('#core/analyses/analysis_credentials')
    const credentials = await container.make(AnalysisCredentials)
    const { secret } = await credentials.rotate(origin, id)
    return secret
  }

  async #appendSecret({ kind, id, name, clientId }: OldSecret, secret: string | null) {
    if (this.to !== undefined) {
      await appendFile(this.to, `${JSON.stringify({ kind, id, name, clientId, secret })}\n`)
    }
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }
}

/** Removes characters that could control the terminal. */
function printable(name: string | null): string {
  return (name ?? '').replaceAll(/[^\x20-\x7e]/g, '?')
}
