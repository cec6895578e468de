import { dirname, resolve } from 'node:path'

import vine from '@vinejs/vine'

import { body, type BodyOf } from '#kernel/body'

import { DEFAULT_LIMITS, type ContainerLimits } from '#node/containers/container_driver'
import type { DataSource } from '#node/data_sources/data_source'
import { readSettingsFile } from '#node/settings/read_settings_file'

const MIB = 1024 ** 2

const count = (most: number) =>
  vine.number({ strict: true }).withoutDecimals().min(1).max(most).optional()

const policyFile = body({
  approve: vine.enum(['ask', 'auto'] as const).optional(),
  atOnce: count(64),
  shareErrors: vine.boolean({ strict: true }).optional(),
  limits: vine
    .object({
      memoryMiB: count(1024 * 1024),
      processes: count(32_768),
      cpus: vine.number({ strict: true }).min(0.1).max(1024).optional(),
      tmpMiB: count(1024 * 1024),
      fileMiB: count(1024 * 1024),
      localMiB: count(1024 * 1024),
      imageMiB: count(1024 * 1024),
    })
    .optional(),
  data: vine
    .array(
      vine.object({
        name: vine.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
        folder: vine.string().optional().requiredIfMissing('fhir'),
        fhir: vine.string().url({ require_tld: false }).optional().requiredIfMissing('folder'),
        projects: vine.array(vine.string().minLength(1)),
      })
    )
    .optional(),
})

type PolicyFile = BodyOf<typeof policyFile>

/** What the hospital allows at its node. Without a file: nothing is approved by the node, and no data is given. */
export class Policy {
  /** `ask`: people approve at the hub. `auto`: the node approves by itself. */
  readonly approve: 'ask' | 'auto'
  /** Analyses that run at the same time. */
  readonly atOnce: number
  /** Whether the last line of error output of a failed analysis is reported to the hub. */
  readonly sharesErrors: boolean
  readonly limits: ContainerLimits
  /** The largest file that an analysis may store. */
  readonly fileBytes: number
  /** What the local files of a project may take. */
  readonly localBytes: number
  /** What unpacked images may take that nothing uses. */
  readonly imageBytes: number
  readonly #sources: NonNullable<PolicyFile['data']>
  readonly #folder: string

  constructor(file: PolicyFile = {}, folder = '.') {
    const { limits = {} } = file
    this.approve = file.approve ?? 'ask'
    this.atOnce = file.atOnce ?? 2
    this.sharesErrors = file.shareErrors ?? true
    this.limits = {
      memoryBytes: bytesOf(limits.memoryMiB, DEFAULT_LIMITS.memoryBytes),
      processes: limits.processes ?? DEFAULT_LIMITS.processes,
      cpus: limits.cpus ?? DEFAULT_LIMITS.cpus,
      tmpBytes: bytesOf(limits.tmpMiB, DEFAULT_LIMITS.tmpBytes),
    }
    this.fileBytes = bytesOf(limits.fileMiB, 1024 * MIB)
    this.localBytes = bytesOf(limits.localMiB, 4096 * MIB)
    this.imageBytes = bytesOf(limits.imageMiB, 8192 * MIB)
    this.#sources = file.data ?? []
    this.#folder = folder
  }

  static async read(path: string): Promise<Policy> {
    return new Policy(await readSettingsFile(path, policyFile), dirname(resolve(path)))
  }

  /** The data sources of a project, which the policy names by its id or its name. */
  sourcesOf(project: { readonly id: string; readonly name: string }): readonly DataSource[] {
    return this.#sources
      .filter(({ projects }) =>
        projects.some((one) => one === '*' || one === project.id || one === project.name)
      )
      .map(({ name, folder, fhir }) =>
        folder === undefined
          ? { name, type: 'fhir', url: fhir! }
          : { name, type: 'folder', path: resolve(this.#folder, folder) }
      )
  }
}

const bytesOf = (mebibytes: number | undefined, otherwise: number): number =>
  mebibytes === undefined ? otherwise : mebibytes * MIB
