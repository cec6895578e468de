import { execFile } from 'node:child_process'
import { unlink, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const SERVICE_POLICY = '/usr/sbin/policy-rc.d'
const APT_OPTIONS = ['-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300']

/** The packages of all servers, and what they are taken from. */
export const PACKAGES = {
  buildah: ['buildah'],
  containers: ['bubblewrap', 'busybox-static', 'runc'],
  chromium: ['chromium', 'fonts-liberation'],
  dockerRegistry: ['docker-registry'],
  glewlwyd: ['glewlwyd', 'sqlite3'],
  imageTools: ['busybox-static', 'skopeo', 'umoci'],
  mariadb: ['mariadb-server'],
  mmdebstrap: ['mmdebstrap'],
  namespaces: ['libfaketime', 'iproute2', 'nftables'],
  nginx: ['nginx-light'],
  podman: ['podman', 'runc'],
  postgres: ['postgresql-15'],
  prometheus: ['prometheus'],
  pythonYaml: ['python3-yaml'],
  rabbitmq: ['rabbitmq-server'],
  radosgw: ['ceph-mon', 'ceph-osd', 'radosgw'],
  redis: ['redis-server'],
  systemd: ['systemd'],
}

/** The real servers cannot be had on this machine; the message says what a person can do about it. */
export class PackagesMissingError extends Error {
  static readonly code = 'E_PACKAGES_MISSING'
  readonly code = PackagesMissingError.code

  constructor(packages: string[], reason: string, cause?: unknown) {
    super(
      `The Debian packages ${packages.join(', ')} are not installed and ${reason}; ` +
        `install them with "apt-get install ${packages.join(' ')}" and run the tests again`,
      { cause }
    )
  }
}

let lastInstallation: Promise<void> = Promise.resolve()

/** Makes sure that Debian packages are there, one installation at a time because apt holds a lock. */
export function ensurePackages(packages: string[]): Promise<void> {
  const installation = lastInstallation.then(() => installMissing(packages))
  lastInstallation = installation.catch(() => {})
  return installation
}

/** Processes that install at the same time get into each other's way, so a run does it before it starts them. */
export const installServers = (): Promise<void> => ensurePackages(Object.values(PACKAGES).flat())

async function installMissing(packages: string[]): Promise<void> {
  const missing = await notInstalled(packages)
  if (missing.length === 0) {
    return
  }
  if (process.getuid?.() !== 0) {
    throw new PackagesMissingError(missing, 'only root may install them')
  }

  const startedAt = performance.now()
  const allowServices = await forbidServiceStarts()
  try {
    await install(missing)
  } catch (error) {
    const reason = `apt-get could not install them (${lastLine(error)})`
    throw new PackagesMissingError(missing, reason, error)
  } finally {
    await allowServices()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`installed ${missing.join(', ')} in ${seconds} s`)
}

async function notInstalled(packages: string[]): Promise<string[]> {
  const format = '${Package} ${db:Status-Status}\n'
  const { stdout } = await run('dpkg-query', ['-W', '-f', format, ...packages]).catch((error) => {
    if (error.code === 'ENOENT') {
      throw new PackagesMissingError(packages, 'this system has no dpkg to ask', error)
    }
    return { stdout: String(error.stdout) }
  })
  const installed = new Set(stdout.split('\n'))
  return packages.filter((name) => !installed.has(`${name} installed`))
}

/** The package lists are fetched only when the ones at hand cannot serve: a new machine has none, an old one stale ones. */
async function install(packages: string[]): Promise<void> {
  await apt('install', ...packages).catch(async () => {
    await apt('update')
    await apt('install', ...packages)
  })
}

async function apt(...args: string[]): Promise<void> {
  await run('apt-get', [...APT_OPTIONS, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    maxBuffer: 64 * 1024 * 1024,
  })
}

/** Debian starts a server as it installs it, unless a policy says no. An administrator's own policy is left as it is. */
async function forbidServiceStarts(): Promise<() => Promise<void>> {
  try {
    await writeFile(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
  } catch {
    return async () => {}
  }
  return () => unlink(SERVICE_POLICY)
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr?.trim() || message).split('\n').at(-1) ?? message
}
