import { CONTAINER_ACCOUNT } from '#node/containers/container_driver'
import { EMPTY_FOLDERS, HIDDEN_FILES, READ_ONLY_FOLDERS } from '#node/containers/masked_paths'
import type { ResolvedSpec } from '#node/containers/resolve_spec'
import { runcProfile } from '#node/containers/seccomp/runc_profile'

const CPU_PERIOD_US = 100_000
const OOM_SCORE = 500
const MAX_OPEN_FILES = 1024

/** Files of a container's folder by which runc and the driver wait for each other. */
export const BUNDLE_FILES = {
  hosts: 'hosts',
  resolver: 'resolv.conf',
  created: 'created',
  connected: 'connected',
  started: 'started',
  log: 'runc.log',
}

export interface BundleOptions {
  readonly folder: string
  readonly group: string
  /** The process whose process namespace the container has. */
  readonly initPid: number
}

/** The configuration of a bundle, as the runtime specification of OCI has it. */
export function bundleConfig(
  spec: ResolvedSpec,
  { folder, group, initPid }: BundleOptions
): object {
  return {
    ociVersion: '1.0.2',
    hostname: spec.name,
    root: { path: spec.rootPath, readonly: true },
    process: processConfig(spec),
    mounts: mountsOf(spec, folder),
    hooks: hooksOf(folder),
    linux: {
      namespaces: [
        { type: 'pid', path: `/proc/${initPid}/ns/pid` },
        ...['network', 'ipc', 'uts', 'mount', 'cgroup'].map((type) => ({ type })),
      ],
      cgroupsPath: `/${group}`,
      resources: resourcesOf(spec),
      maskedPaths: [...HIDDEN_FILES, ...EMPTY_FOLDERS],
      // The first one also keeps a process from leaving its turn when memory runs out.
      readonlyPaths: ['/proc', ...READ_ONLY_FOLDERS],
      seccomp: runcProfile(),
    },
  }
}

function processConfig(spec: ResolvedSpec): object {
  const none: string[] = []
  return {
    terminal: false,
    user: { uid: CONTAINER_ACCOUNT, gid: CONTAINER_ACCOUNT },
    args: spec.command,
    env: Object.entries(spec.variables).map(([name, value]) => `${name}=${value}`),
    cwd: spec.workingFolder,
    capabilities: {
      bounding: none,
      effective: none,
      inheritable: none,
      permitted: none,
      ambient: none,
    },
    rlimits: [
      { type: 'RLIMIT_NOFILE', soft: MAX_OPEN_FILES, hard: MAX_OPEN_FILES },
      { type: 'RLIMIT_CORE', soft: 0, hard: 0 },
    ],
    noNewPrivileges: true,
    oomScoreAdj: OOM_SCORE,
  }
}

const SAFE = ['nosuid', 'nodev']

/** runc gives it the mode of the folder that it covers, so it belongs to the account of the analysis. */
const memory = (destination: string, bytes: number): object => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: [...SAFE, 'mode=1777', `uid=${CONTAINER_ACCOUNT}`, `size=${bytes}`],
})

const readOnly = (source: string, destination: string, ...options: string[]): object => ({
  destination,
  type: 'bind',
  source,
  options: ['bind', 'ro', ...options, ...SAFE],
})

function mountsOf(spec: ResolvedSpec, folder: string): object[] {
  const { tmpBytes } = spec.limits
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: [...SAFE, 'noexec'] },
    {
      destination: '/dev',
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', 'noexec', 'mode=755', 'size=64k'],
    },
    memory('/dev/shm', tmpBytes),
    memory('/tmp', tmpBytes),
    ...writableMounts(spec),
    readOnly(`${folder}/${BUNDLE_FILES.hosts}`, '/etc/hosts', 'noexec'),
    readOnly(`${folder}/${BUNDLE_FILES.resolver}`, '/etc/resolv.conf', 'noexec'),
  ]
}

/** Where the image's working folder is still found when memory covers it: runc mounts in the root itself. */
const COVERED_FOLDER = '/dev/.image'

function writableMounts({ writable, rootPath }: ResolvedSpec): object[] {
  if (!writable) {
    return []
  }
  const { path, entries, maxBytes } = writable
  return [
    readOnly(rootPath + path, COVERED_FOLDER),
    memory(path, maxBytes),
    ...entries.map((name) => readOnly(`${rootPath}${COVERED_FOLDER}/${name}`, `${path}/${name}`)),
  ]
}

function resourcesOf({ limits }: ResolvedSpec): object {
  return {
    devices: [{ allow: false, access: 'rwm' }],
    memory: { limit: limits.memoryBytes, swap: limits.memoryBytes },
    pids: { limit: limits.processes },
    cpu: { quota: Math.round(limits.cpus * CPU_PERIOD_US), period: CPU_PERIOD_US },
  }
}

/**
 * The first hook reports that the network exists, and waits until the sidecar listens in it; the second one reports that
 * the program was started.
 */
function hooksOf(folder: string): object {
  const hook = (script: string) => ({
    path: '/bin/sh',
    args: ['sh', '-c', script, 'sh', folder],
    env: ['PATH=/usr/bin:/bin'],
    timeout: 60,
  })
  const { created, connected, started } = BUNDLE_FILES
  return {
    createRuntime: [
      hook(
        `cat > "$1/${created}.new" && mv "$1/${created}.new" "$1/${created}"; until [ -e "$1/${connected}" ]; do sleep 0.01; done`
      ),
    ],
    // It reads what runc writes to it: runc forwards every signal to the program, and so a SIGPIPE of its own.
    poststart: [hook(`cat > /dev/null; : > "$1/${started}"`)],
  }
}
