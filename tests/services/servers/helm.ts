import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { parseAllDocuments } from 'yaml'

import { goProgram } from './go_program.js'
import { KUBERNETES_VERSION } from './kubernetes_schemas.js'

const run = promisify(execFile)
const HELM = { from: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' }

export const CHART = fileURLToPath(new URL('../../../deploy/helm/analysis-hub', import.meta.url))
/** As the handbook names them. */
const RELEASE = ['analysis-hub', '--namespace', 'hub']

/** A manifest of Kubernetes, as far as tests read it. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly spec?: any
  readonly data?: Record<string, string>
}

/** Helm with the chart of the project. */
export class Helm {
  readonly #program: string
  readonly #folder: string
  readonly #env: NodeJS.ProcessEnv

  private constructor(program: string, folder: string) {
    this.#program = program
    this.#folder = folder
    this.#env = {
      ...process.env,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
      HELM_DATA_HOME: folder,
    }
  }

  static async open(folder: string): Promise<Helm> {
    return new Helm(await goProgram(HELM), folder)
  }

  /** Rejects with what Helm finds. */
  async lint(values: string): Promise<void> {
    await this.#run('lint', CHART, '--strict', '--values', values)
  }

  async render(values: string): Promise<string> {
    return this.#run('template', ...RELEASE, CHART, '--values', values)
  }

  /** The notes that an installation prints. Helm shows them only with a cluster, so a copy of the chart has them as a manifest. */
  async notes(values: string): Promise<string> {
    const copy = join(await mkdtemp(join(this.#folder, 'notes-')), 'analysis-hub')
    await cp(CHART, copy, { recursive: true })
    const file = join(copy, 'templates/NOTES.txt')
    const notes = await readFile(file, 'utf8')
    await rm(file)
    await writeFile(join(copy, 'templates/notes.yaml'), asManifest(notes))
    const shown = ['--show-only', 'templates/notes.yaml', '--values', values]
    const [manifest] = manifestsIn(await this.#run('template', ...RELEASE, copy, ...shown))
    return manifest!.spec as string
  }

  /** Runs a command at a server that runs no pods, so without those of hooks. Resolves to what it warns of. */
  async atServer(kubeconfig: string, ...args: string[]): Promise<string> {
    const { stderr } = await this.#start(...args, '--no-hooks', '--kubeconfig', kubeconfig)
    return stderr
  }

  async #run(...args: string[]): Promise<string> {
    const { stdout } = await this.#start(...args, '--kube-version', KUBERNETES_VERSION)
    return stdout
  }

  #start(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return run(this.#program, args, { env: this.#env, maxBuffer: 64 * 1024 ** 2 })
  }
}

const asManifest = (notes: string): string =>
  `{{- define "notes" -}}\n${notes}{{- end -}}\nkind: Notes\nspec: {{ include "notes" . | toJson }}\n`

export const manifestsIn = (rendered: string): Manifest[] =>
  parseAllDocuments(rendered)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)

export const isNamed = (kind: string, name: string) => (manifest: Manifest) =>
  manifest.kind === kind && manifest.metadata.name === name

/** The pod that a manifest describes, if it does. */
export function podsOf({ kind, spec }: Manifest): any[] {
  return kind === 'Pod' ? [spec] : spec?.template?.spec ? [spec.template.spec] : []
}

export interface ContainerProgram {
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/** The programs of the image that a manifest starts, with all their variables. */
export function programsOf(manifest: Manifest, all: readonly Manifest[]): ContainerProgram[] {
  return podsOf(manifest)
    .flatMap(({ containers }) => containers)
    .filter(({ command }) => command === undefined)
    .map(({ args, env = [], envFrom = [] }) => {
      const settings = envFrom.map(
        ({ configMapRef }: { configMapRef: { name: string } }) =>
          all.find(isNamed('ConfigMap', configMapRef.name))!.data
      )
      const own = env.map(({ name, value }: { name: string; value: string }) => [name, value])
      return { args, variables: Object.assign({}, ...settings, Object.fromEntries(own)) }
    })
}
