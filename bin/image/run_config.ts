import type { Architecture } from './architectures.js'
import { revisionOf, type Commit } from './commit.js'
import { DATA, USER } from './debian_layer.js'
import { HOME } from './program_layer.js'

const SECOND = 1_000_000_000
const NODE = '/usr/local/bin/node'
const BIN = `/${HOME}/build/bin`

/** What every start of a server sets; see `bin/bootstrap/engine.mjs`. */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']

export interface ImageFacts {
  readonly version: string
  readonly commit: Commit
  readonly hasDatabase: boolean
}

/** How a container of the image is run. */
export const runConfig = (facts: ImageFacts): object => ({
  User: String(USER.uid),
  Env: [
    'PATH=/usr/local/bin:/usr/bin',
    'NODE_ENV=production',
    'HOST=0.0.0.0',
    'HEALTH_HOST=0.0.0.0',
    `DATA_DIR=${DATA}`,
    `HOME=${DATA}`,
  ],
  Entrypoint: ['/usr/bin/tini', '-s', '--', NODE, ...FLAGS, `${BIN}/role.js`],
  Cmd: ['hub'],
  WorkingDir: DATA,
  Volumes: { [DATA]: {} },
  ExposedPorts: { '3000/tcp': {}, '3009/tcp': {} },
  Labels: labelsOf(facts),
  StopSignal: 'SIGTERM',
  // Docker reads it; OCI has no such field.
  Healthcheck: {
    Test: ['CMD', NODE, `${BIN}/health.js`],
    Interval: 15 * SECOND,
    Timeout: 10 * SECOND,
    StartPeriod: 120 * SECOND,
    Retries: 3,
  },
})

export function labelsOf({ version, commit, hasDatabase }: ImageFacts): Record<string, string> {
  return {
    'org.opencontainers.image.title': 'Analysis Hub',
    'org.opencontainers.image.description': hasDatabase
      ? 'Backend for federated analysis, with the embedded database'
      : 'Backend for federated analysis',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': revisionOf(commit),
    'org.opencontainers.image.created': commit.at.toISOString(),
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.base.name': 'debian:trixie',
  }
}

export interface ConfigLayer {
  readonly diffId: string
  readonly createdBy: string
}

/** The config of an image, equal for equal layers and commits. */
export function imageConfig(
  facts: ImageFacts,
  { debian, variant }: Architecture,
  layers: readonly ConfigLayer[]
): Buffer {
  const created = facts.commit.at.toISOString()
  return Buffer.from(
    JSON.stringify({
      created,
      os: 'linux',
      architecture: debian,
      ...(variant && { variant }),
      config: runConfig(facts),
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
    })
  )
}
