import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import type { Api } from '#hubctl/platform/api'
import { Problem, UsageProblem } from '#hubctl/problem'
import { runSteps, type Step } from '#hubctl/commands/run_steps'
import { download } from './download.js'
import {
  findBucket,
  findFile,
  listFiles,
  parseBucketLocation,
  type BucketLocation,
} from './bucket_location.js'
import { localPath, pathBelow } from './local_path.js'
import { upload } from './upload.js'

interface CopyOptions {
  readonly recursive?: boolean
}

/** Copies files into or out of a bucket, one by one. A failure does not stop the other copies. */
export async function copy(
  invocation: Invocation<CopyOptions>,
  from: string,
  to: string
): Promise<ExitCode> {
  const [source, target] = [parseBucketLocation(from), parseBucketLocation(to)]
  if ((source === undefined) === (target === undefined)) {
    throw new UsageProblem(
      'One side must be a bucket location, the other a local path.',
      'hubctl bucket cp table.csv results:2026/table.csv'
    )
  }
  const api = await invocation.api()
  const copies = await (target
    ? uploadSteps(invocation, api, from, target)
    : downloadSteps(invocation, api, source!, to))
  return runSteps(invocation.output, copies)
}

async function uploadSteps(
  { options, output }: Invocation<CopyOptions>,
  api: Api,
  from: string,
  location: BucketLocation
): Promise<Step[]> {
  const { id } = await findBucket(api, location)
  const files = await localFiles(from, location.path, Boolean(options.recursive))
  return files.map(([file, path]) => ({
    name: file,
    act: async () => {
      const destination = `${location.bucket}:${path}`
      if (api.isPlanning) {
        api.plan('POST', 'storage', `/buckets/${id}/resumable`, { filename: path })
        return { message: `${file} would be copied to ${destination}` }
      }
      await upload(api, { file, bucketId: id, path }, output)
      return { message: `${file} was copied to ${destination}` }
    },
  }))
}

/** Local files, each with its target path in the bucket. */
async function localFiles(
  from: string,
  path: string,
  isRecursive: boolean
): Promise<[string, string][]> {
  const found = await stat(from).catch((error: Error) => {
    throw new Problem(EXIT.failed, `${from} cannot be read: ${error.message}`)
  })
  if (found.isDirectory()) {
    if (!isRecursive) {
      throw new UsageProblem(`${from} is a folder.`, 'Copy it with --recursive.')
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

async function downloadSteps(
  { options, output }: Invocation<CopyOptions>,
  api: Api,
  location: BucketLocation,
  to: string
): Promise<Step[]> {
  const { id } = await findBucket(api, location)
  const files = options.recursive
    ? await listFiles(api, id, location.path)
    : [await findFile(api, id, location)]
  const isFolder = options.recursive || (await isLocalFolder(to))
  return files.map((file) => ({
    name: `${location.bucket}:${file.path}`,
    act: async () => {
      const own = options.recursive ? pathBelow(file.path, location.path) : basename(file.path)
      const target = isFolder ? localPath(to, own) : to
      if (api.isPlanning) {
        return { message: `${target} would be written` }
      }
      await download(api, file, target, output)
      return { message: `${location.bucket}:${file.path} was copied to ${target}` }
    },
  }))
}

async function isLocalFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return path.endsWith('/') || Boolean(found?.isDirectory())
}
