import { dirname, resolve } from 'node:path'

import vine from '@vinejs/vine'

import { body, type BodyOf } from '#kernel/body'
import { isUuid } from '#kernel/is_uuid'

import { DEFAULT_LIMITS, type ContainerLimits } from '#node/containers/container_driver'
import type { DataSource } from '#node/data_sources/data_source'
import { readSettingsFile } from '#node/settings/read_settings_file'

const MIB = 1024 ** 2
const EVERY_PROJECT = '*'

const count = (most: number) =>
  vine.number({ strict: true }).withoutDecimals().min(1).max(most).optional()

/**
 * Projects are identified by id. Their names can change, so another project could get the name and with it the data.
 */
const namesProject = vine.createRule((value, _options: undefined, field) => {
  if (value !== EVERY_PROJECT && !(typeof value === 'string' && isUuid(value))) {
    field.report(
      'Name a project by its id, which "hubctl get projects -o json" shows, or * for all projects',
      'projectId',
      field
    )
  }
})

const policyFile = body({
  approve: vine.enum(['ask', 'auto'] as const).optional(),
  atOnce: count(64),
  shareErrors: vine.boolean({ strict: true }).optional(),
  shareErrorValues: vine.boolean({ strict: true }).optional(),
  shareLogs: vine.boolean({ strict: true }).optional(),
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
  nodes: vine
    .array(vine.object({ id: vine.string().uuid(), seal: vine.enum(['former'] as const) }))
    .optional(),
  data: vine
    .array(
      vine.object({
        name: vine.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
        folder: vine.string().optional().requiredIfMissing('fhir'),
        fhir: vine.string().url({ require_tld: false }).optional().requiredIfMissing('folder'),
        projects: vine.array(vine.string().use(namesProject())),
      })
    )
    .optional(),
})

type PolicyFile = BodyOf<typeof policyFile>

/** The rules of the hospital for its node. Without a file, the node approves nothing and gives access to no data. */
export class Policy {
  /** `ask`: people approve at the hub. `auto`: the node approves automatically. */
  readonly approve: 'ask' | 'auto'
  /** The maximum number of concurrent runs. */
  readonly atOnce: number
  /** Whether the last error output of a failed analysis, and its errors in the log, are reported to the hub. */
  readonly sharesErrors: boolean
  /** Whether that includes the messages of errors, which may show data. */
  readonly sharesErrorValues: boolean
  /** Whether log lines of an analysis are reported to the hub. */
  readonly sharesLogs: boolean
  readonly limits: ContainerLimits
  /** The maximum size of a file that an analysis may store. */
  readonly fileBytes: number
  /** The maximum size of the local files of a project. */
  readonly localBytes: number
  /** The maximum size of unused unpacked images. */
  readonly imageBytes: number
  readonly #formerNodes: ReadonlySet<string>
  readonly #sources: NonNullable<PolicyFile['data']>
  readonly #folder: string

  constructor(file: PolicyFile = {}, folder = '.') {
    const { limits = {} } = file
    this.approve = file.approve ?? 'ask'
    this.atOnce = file.atOnce ?? 2
    this.sharesErrors = file.shareErrors ?? true
    this.sharesErrorValues = file.shareErrorValues ?? true
    this.sharesLogs = file.shareLogs ?? true
    this.limits = {
      memoryBytes: bytesOf(limits.memoryMiB, DEFAULT_LIMITS.memoryBytes),
      processes: limits.processes ?? DEFAULT_LIMITS.processes,
      cpus: limits.cpus ?? DEFAULT_LIMITS.cpus,
      tmpBytes: bytesOf(limits.tmpMiB, DEFAULT_LIMITS.tmpBytes),
    }
    this.fileBytes = bytesOf(limits.fileMiB, 1024 * MIB)
    this.localBytes = bytesOf(limits.localMiB, 4096 * MIB)
    this.imageBytes = bytesOf(limits.imageMiB, 8192 * MIB)
    this.#formerNodes = new Set((file.nodes ?? []).map(({ id }) => id.toLowerCase()))
    this.#sources = file.data ?? []
    this.#folder = folder
  }

  static async read(path: string): Promise<Policy> {
    return new Policy(await readSettingsFile(path, policyFile), dirname(resolve(path)))
  }

  /** Whether files from and for a node use the former format, which is not bound to an analysis. */
  sealsAsBefore(nodeId: string): boolean {
    return this.#formerNodes.has(nodeId.toLowerCase())
  }

  /** The data sources of a project. */
  sourcesOf(projectId: string): readonly DataSource[] {
    const named = projectId.toLowerCase()
    return this.#sources
      .filter(({ projects }) =>
        projects.some((one) => one === EVERY_PROJECT || one.toLowerCase() === named)
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
