import { isObject } from '#oci/manifest'
import type { ImageConfig } from '#oci/image_config'
import { ImageRejected } from '#node/errors'

/** The defaults of an image for its containers. */
export interface RunConfig {
  readonly command: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly workingFolder: string
  readonly labels: Readonly<Record<string, string>>
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Reads entrypoint, command, environment and working folder of an image. Its user is ignored. */
export function runConfigOf({ content }: ImageConfig): RunConfig {
  const config = isObject(content.config) ? content.config : {}
  const command = [...texts(config.Entrypoint, 'Entrypoint'), ...texts(config.Cmd, 'Cmd')]
  if (command.length === 0) {
    throw new ImageRejected('The image has neither an entrypoint nor a command')
  }
  const workingFolder = config.WorkingDir || '/'
  if (typeof workingFolder !== 'string' || !/^\/[^\0]*$/.test(workingFolder)) {
    throw new ImageRejected('The image has an invalid working folder')
  }
  const variables = Object.fromEntries(texts(config.Env, 'Env').map(variableOf))
  return { command, variables: { PATH, ...variables }, workingFolder, labels: labelsOf(config) }
}

function labelsOf({ Labels: labels }: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(isObject(labels) ? labels : {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  )
}

function variableOf(text: string): [name: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1) {
    throw new ImageRejected('The image has an environment variable without a name or value')
  }
  return [text.slice(0, equals), text.slice(equals + 1)]
}

function texts(value: unknown, name: string): string[] {
  const list = value ?? []
  const isList = Array.isArray(list) && list.every((one) => typeof one === 'string')
  if (!isList || list.some((text: string) => text.includes('\0'))) {
    throw new ImageRejected(`The image has an invalid ${name}`)
  }
  return list
}
