import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { eventually } from '#tests/helpers/eventually'
import { shellBlocks } from '#tests/helpers/shell_blocks'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
import { PROGRAM } from '#tests/services/hubctl/hubctl'
import { pythonPackage } from '#tests/services/python_packages'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { Podman } from '#tests/services/servers/podman'
import { makeStandIns } from './stand_ins.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = 'compose.md'
const COMPOSE_VERSION = '1.6.0'
const CLONED = ['bin', 'build', 'node_modules', 'package.json', 'packages']
const LIMIT_MS = 900_000
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'

interface TypeOptions {
  /** Whether the command may end with a failure; then what it reports is part of the output. */
  readonly mayFail?: boolean
}

/** A process dies some time after it was killed. */
export interface Death {
  readonly killedAt: number
  readonly goneAt: number
}

/** The installation of docs/compose.md, typed in a folder that looks like a clone, with a podman of its own. */
export class ComposedHub {
  readonly origin: string
  readonly #folder: string
  readonly #podman: Podman
  readonly #ports: readonly [http: number, https: number]

  /** Has everything at hand that the page obtains from elsewhere. */
  static async prepare(): Promise<ComposedHub> {
    await ensurePackages(PACKAGES.imageTools)
    const podman = await Podman.start('overlay')
    const folder = await mkdtemp(join(tmpdir(), 'hub-compose-'))
    const hub = new ComposedHub(folder, podman, [await freePort(), await freePort()])
    try {
      await hub.#prepare()
      return hub
    } catch (error) {
      await hub.remove()
      throw error
    }
  }

  private constructor(folder: string, podman: Podman, ports: readonly [number, number]) {
    this.#folder = folder
    this.#podman = podman
    this.#ports = ports
    this.origin = `https://localhost:${ports[1]}`
  }

  /** Types the commands of a section of the page, block by block. Yields what each prints. */
  async *typed(section: string, options?: TypeOptions): AsyncGenerator<string> {
    for (const block of await shellBlocks(PAGE, section)) {
      yield await this.type(this.#here(block), options)
    }
  }

  /** Runs lines in a shell in the folder of compose.yaml, until one fails. Resolves to what they print. */
  async type(script: string, { mayFail = false }: TypeOptions = {}): Promise<string> {
    const shell = spawn('bash', ['-euxo', 'pipefail', '-c', script], {
      cwd: this.#deploy,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr, [code]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close'),
    ])
    if (code !== 0 && !mayFail) {
      throw new Error(`A command of the page ended with ${code}:\n${stderr}\n${stdout}`)
    }
    return mayFail ? stdout + stderr : stdout
  }

  up(): Promise<string> {
    return this.type('./compose/up')
  }

  down(): Promise<string> {
    return this.type('$COMPOSE down')
  }

  /** The same image with another digest, as a new release has one. */
  async makeNewImage(): Promise<void> {
    const folder = join(this.#folder, 'next')
    await mkdir(folder)
    const file = join(folder, 'Containerfile')
    await writeFile(file, 'FROM localhost/analysis-hub:0.1.0\nLABEL drill=next\n')
    const name = 'localhost/analysis-hub:next'
    const args = ['--quiet', '--isolation=chroot', `--file=${file}`, `--tag=${name}`]
    await this.#podman.must('build', ...args, folder)
    await this.type(`sed -i 's|^HUB_IMAGE=.*|HUB_IMAGE=${name}|' .env`)
  }

  /** Kills the processes of a service, as a machine without memory does. */
  async kill(service: string): Promise<Death> {
    const pid = await this.#podman.must('inspect', '--format={{.State.Pid}}', containerOf(service))
    const killedAt = performance.now()
    process.kill(Number(pid), 'SIGKILL')
    await eventually(() => !existsSync(`/proc/${pid}`), LIMIT_MS)
    return { killedAt, goneAt: performance.now() }
  }

  /** Waits until a service is ready that ended. */
  async isBack(service: string): Promise<void> {
    const health = ['/usr/local/bin/node', '/opt/analysis-hub/build/bin/health.js']
    await eventually(async () => {
      const { code } = await this.#podman.call('exec', containerOf(service), ...health)
      return code === 0
    }, LIMIT_MS)
  }

  secret(name: string): Promise<string> {
    return readFile(join(this.#deploy, 'compose/secrets', name), 'utf8')
  }

  /** The certificate of the authority that the proxy made, which the page has copied. */
  authority(): Promise<string> {
    return readFile(join(this.#deploy, 'root.crt'), 'utf8')
  }

  /** Asks the database. The first column of every row. */
  async rows(statement: string): Promise<string[]> {
    const ask =
      'PGPASSWORD=$(cat /run/secrets/POSTGRES_PASSWORD) exec psql -h 127.0.0.1 -U hub -At hub -c "$0"'
    const args = ['exec', containerOf('postgres'), 'sh', '-c', ask, statement]
    return (await this.#podman.must(...args)).split('\n').filter(Boolean)
  }

  async remove(): Promise<void> {
    await this.down().catch(() => {})
    await this.#podman.remove()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#deploy, { recursive: true })
    await cp(join(ROOT, 'deploy'), this.#deploy, { recursive: true })
    for (const name of CLONED) {
      await symlink(join(ROOT, name), join(this.#folder, name))
    }
    const { programs } = this.#podman
    const compose = await pythonPackage('podman-compose', COMPOSE_VERSION)
    await symlink(join(compose, 'podman-compose'), join(programs, 'podman-compose'))
    const hubctl = `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`
    await writeFile(join(programs, 'hubctl'), hubctl, { mode: 0o755 })
    await cp(await shellArchive(this.#folder), join(this.#deploy, 'python.tar'))
    const standIns = join(this.#folder, 'stand-ins')
    await mkdir(standIns)
    await makeStandIns(this.#podman, standIns)
  }

  /** Commands of the page as they are typed here: with podman, for this machine and its address, and on free ports. */
  #here(block: string): string {
    const [http, https] = this.#ports
    return block
      .replace(/^cd deploy$/m, '')
      .replace(/^npm run image$/m, `npm run image -- --arch ${ARCHITECTURE}`)
      .replace(/^.*make-secrets https:\/\/hub.*$/m, '')
      .replaceAll(/^docker (pull|save) .*$/gm, '')
      .replaceAll('docker compose', 'podman-compose')
      .replaceAll('docker ', 'podman ')
      .replaceAll('8443', String(https))
      .replaceAll('8080', String(http))
      .replaceAll('https://hub.example.org', this.origin)
  }

  get #deploy(): string {
    return join(this.#folder, 'deploy')
  }

  get #environment(): NodeJS.ProcessEnv {
    const authority = join(this.#deploy, 'root.crt')
    return {
      ...process.env,
      PATH: `${this.#podman.programs}:${process.env.PATH}`,
      XDG_CONFIG_HOME: join(this.#folder, 'config'),
      COMPOSE: 'podman-compose',
      // Before there is one, that of the machine.
      ...(existsSync(authority) && { NODE_EXTRA_CA_CERTS: authority }),
    }
  }
}

const containerOf = (service: string): string => `analysis-hub_${service}_1`
