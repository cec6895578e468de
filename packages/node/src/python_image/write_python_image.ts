import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { countBytes } from '#oci/count_bytes'
import type { ImageStore, StoredManifest } from '#oci/image_store'
import { layerEntries, type LayerFile } from '#oci/tar/layer_entries'
import { writeImage } from '#oci/write_image'
import { gzipBytes, writeLayer, type WrittenLayer } from '#oci/write_layer'

import { makeDebianRoot, type DebianRootOptions } from './debian_root.js'
import { findPython, moduleFiles, MODULES, PYTHON_HOME, pythonFiles } from './python_files.js'

/** The destination of an image. */
interface Destination {
  readonly store: ImageStore
  readonly repository: string
  readonly tag: string
  readonly onBytes: (bytes: number) => void
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const PATHS = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Makes a master image from the Python of this machine, without network access. The same Python gives the same image.
 */
export async function writePythonImage(
  destination: Destination,
  python: string
): Promise<StoredManifest> {
  const files = await pythonFiles(await findPython(python))
  return writeProgramImage(destination, [await filesLayer(destination, files)], {
    command: `/${PYTHON_HOME}/bin/python3`,
    variables: [`PATH=/${PYTHON_HOME}/bin:/usr/bin:/bin`, `PYTHONHOME=/${PYTHON_HOME}`],
  })
}

/** Makes a master image from packages of Debian. */
export async function writeDebianImage(
  destination: Destination,
  root: DebianRootOptions,
  signal: AbortSignal
): Promise<StoredManifest> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-debian-'))
  try {
    const file = join(folder, 'root.tar')
    await makeDebianRoot(file, root, signal)
    const layers = [
      await tarLayer(destination, file),
      await filesLayer(destination, await moduleFiles()),
    ]
    return await writeProgramImage(destination, layers, {
      command: '/usr/bin/python3',
      variables: [`PATH=${PATHS}`],
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function filesLayer({ store, repository, onBytes }: Destination, files: LayerFile[]) {
  return writeLayer(store, repository, layerEntries(files), { onBytes })
}

/** Reads the file twice, since the layer is identified by its digest before compression. */
async function tarLayer(
  { store, repository, onBytes }: Destination,
  file: string
): Promise<WrittenLayer> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Buffer)
  }
  const source = gzipBytes(countBytes(createReadStream(file), onBytes))
  const blob = await store.writeBlob(repository, source)
  return { ...blob, diffId: `sha256:${hash.digest('hex')}` }
}

function writeProgramImage(
  { store, repository, tag }: Destination,
  layers: readonly WrittenLayer[],
  program: Program
): Promise<StoredManifest> {
  const diffIds = layers.map(({ diffId }) => diffId)
  const config = Buffer.from(JSON.stringify(configWith(diffIds, program)))
  return writeImage({ store, repository }, { config, layers }, tag)
}

interface Program {
  readonly command: string
  readonly variables: readonly string[]
}

const configWith = (diffIds: readonly string[], { command, variables }: Program) => ({
  os: 'linux',
  architecture: ARCHITECTURES[process.arch] ?? process.arch,
  config: {
    Env: [
      ...variables,
      `PYTHONPATH=/${MODULES}`,
      'PYTHONUNBUFFERED=1',
      'PYTHONDONTWRITEBYTECODE=1',
      'HOME=/tmp',
    ],
    Labels: { 'analysis-hub.command': command },
    WorkingDir: '/opt/code',
    User: '65534',
  },
  rootfs: { type: 'layers', diff_ids: diffIds },
})
