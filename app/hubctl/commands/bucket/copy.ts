import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'

import type { Invocation } from '#hubctl/invocation'
import type { Api } from '#hubctl/platform/api'
import { UsageProblem } from '#hubctl/problem'
import { download } from './download.js'
import { bucketOf, fileAt, filesBelow, placeIn, type Place } from './place.js'
import { upload } from './upload.js'

interface Options {
  readonly recursive?: boolean
}

/** Copies into a bucket or out of it, one file after the other. */
export async function copy(
  invocation: Invocation<Options>,
  from: string,
  to: string
): Promise<void> {
  const [source, target] = [placeIn(from), placeIn(to)]
  if ((source === undefined) === (target === undefined)) {
    throw new UsageProblem(
      'One side is in a bucket, the other one here.',
      'hubctl bucket cp table.csv results:2026/table.csv'
    )
  }
  const api = await invocation.api()
  await (target ? copyThere(invocation, api, from, target) : copyHere(invocation, api, source!, to))
}

async function copyThere(
  { options, output }: Invocation<Options>,
  api: Api,
  from: string,
  place: Place
): Promise<void> {
  const { id } = await bucketOf(api, place)
  for (const [file, path] of await filesHere(from, place.path, Boolean(options.recursive))) {
    if (api.isPlanning) {
      api.plan('POST', 'storage', `/buckets/${id}/resumable`, { filename: path })
      continue
    }
    await upload(api, { file, bucketId: id, path }, output)
    output.done(`${file} was copied to ${place.bucket}:${path}`)
  }
}

/** Files of this machine, each with the path it gets. */
async function filesHere(
  from: string,
  path: string,
  isRecursive: boolean
): Promise<[string, string][]> {
  const found = await stat(from).catch((error: Error) => {
    throw new UsageProblem(`${from} cannot be read: ${error.message}`)
  })
  if (found.isDirectory()) {
    if (!isRecursive) {
      throw new UsageProblem(`${from} is a folder.`, 'Say that all of it is meant: --recursive')
    }
    const entries = await readdir(from, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [
        file,
        [path.replace(/\/$/, ''), ...relative(from, file).split(sep)].filter(Boolean).join('/'),
      ])
  }
  const isFolder = path === '' || path.endsWith('/')
  return [[from, isFolder ? path + basename(from) : path]]
}

async function copyHere(
  { options, output }: Invocation<Options>,
  api: Api,
  place: Place,
  to: string
): Promise<void> {
  const { id } = await bucketOf(api, place)
  const files = options.recursive
    ? await filesBelow(api, id, place.path)
    : [await fileAt(api, id, place)]
  const isFolder = options.recursive || (await isFolderHere(to))
  for (const file of files) {
    const own = options.recursive ? pathBelow(file.path, place.path) : basename(file.path)
    const target = isFolder ? join(to, own) : to
    if (api.isPlanning) {
      output.line(`would write ${target}`)
      continue
    }
    await download(api, file, target, output)
    output.done(`${place.bucket}:${file.path} was copied to ${target}`)
  }
}

async function isFolderHere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return path.endsWith('/') || Boolean(found?.isDirectory())
}

/** A path in a bucket may not lead out of the folder it is copied to. */
function pathBelow(path: string, folder: string): string {
  const own = path === folder ? basename(path) : path.slice(folder.length).replace(/^\/+/, '')
  if (own.split(/[/\\]/).includes('..')) {
    throw new UsageProblem(`The path ${path} leads out of the folder.`)
  }
  return own
}
