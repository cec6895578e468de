import { tryParseJson } from '#kernel/try_parse_json'

import { ManifestInvalid } from './errors.js'
import { isObject } from './manifest.js'

export interface ImageConfig {
  readonly os: string
  readonly architecture: string
  readonly diffIds: readonly string[]
  readonly content: Readonly<Record<string, unknown>>
}

export interface AddedLayer {
  readonly diffId: string
  /** The `created_by` entry in the history of the image. */
  readonly createdBy: string
}

/** Changes to the run configuration. Fields left out keep their value. */
export interface ConfigChange {
  /** A new entrypoint without `cmd` clears the command of the base, which would become its arguments. */
  readonly entrypoint?: readonly string[]
  readonly cmd?: readonly string[]
  readonly workingDir?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Creation time of images whose base has none. */
const EPOCH = '1970-01-01T00:00:00Z'

export function parseConfig(bytes: Buffer, digest: string): ImageConfig {
  const content = tryParseJson(bytes.toString())
  const rootfs = isObject(content) ? content.rootfs : undefined
  const diffIds = isObject(rootfs) ? rootfs.diff_ids : undefined
  if (!isObject(content) || !Array.isArray(diffIds) || !diffIds.every(isString)) {
    throw new ManifestInvalid(`${digest} is not an image config`)
  }
  const { os, architecture } = content
  if (!isString(os) || !isString(architecture)) {
    throw new ManifestInvalid(`The image config ${digest} names no platform`)
  }
  return { os, architecture, diffIds, content }
}

/**
 * Appends layers to an image config. Keeps the creation time of the base, so that the same content gives the same
 * digest.
 */
export function extendConfig(
  base: ImageConfig,
  layers: readonly AddedLayer[],
  change: ConfigChange
): Buffer {
  const { content, diffIds } = base
  const created = isString(content.created) ? content.created : EPOCH
  const history = Array.isArray(content.history)
    ? [...content.history, ...layers.map(({ createdBy }) => ({ created, created_by: createdBy }))]
    : undefined
  const added = layers.map(({ diffId }) => diffId)
  return Buffer.from(
    JSON.stringify({
      ...content,
      created,
      config: mergeRunConfig(isObject(content.config) ? content.config : {}, change),
      rootfs: { ...(content.rootfs as object), diff_ids: [...diffIds, ...added] },
      ...(history && { history }),
    })
  )
}

function mergeRunConfig(
  run: Record<string, unknown>,
  change: ConfigChange
): Record<string, unknown> {
  const { Cmd: command, ...rest } = run
  const cmd = change.cmd ?? (change.entrypoint ? undefined : command)
  const labels = { ...(isObject(run.Labels) && run.Labels), ...change.labels }
  return {
    ...rest,
    ...(change.entrypoint && { Entrypoint: change.entrypoint }),
    ...(cmd !== undefined && { Cmd: cmd }),
    ...(change.workingDir !== undefined && { WorkingDir: change.workingDir }),
    ...(Object.keys(labels).length > 0 && { Labels: labels }),
  }
}

const isString = (value: unknown): value is string => typeof value === 'string'
