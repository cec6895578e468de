import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { freePort } from './free_port.js'
import { goModulePrograms } from './go_program.js'
import type { Home } from './home.js'
import { KubernetesClient } from './kubernetes_client.js'
import { KUBERNETES_VERSION } from './kubernetes_schemas.js'
import { RealServer, type Recipe } from './real_server.js'

const VERSION = `v${KUBERNETES_VERSION}`
/** Where the server puts the certificate that it makes for itself. */
const CERTIFICATES = 'certificates'
const CERTIFICATE = `${CERTIFICATES}/apiserver.crt`

const kubernetesPrograms = () =>
  goModulePrograms({
    module: 'k8s.io/kubernetes',
    version: VERSION,
    versionOfParts: VERSION.replace('v1', 'v0'),
    programs: ['k8s.io/kubernetes/cmd/kube-apiserver', 'go.etcd.io/etcd/server/v3'],
    linkerFlags: `-s -w -X k8s.io/component-base/version.gitVersion=${VERSION}`,
  })

const recipe: Recipe = {
  name: 'kube-apiserver',
  packages: [],
  account: 'nobody',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const programs = await kubernetesPrograms()
    const etcd = await home.lay(join(programs, 'server'))
    const apiserver = await home.lay(join(programs, 'kube-apiserver'))
    const store = `http://127.0.0.1:${await freePort()}`
    const port = await freePort()
    const token = randomBytes(24).toString('hex')
    const storeArgs = await argumentsOfStore(home, store)
    const serverArgs = await argumentsOfServer(home, { store, port, token })
    const url = `https://:${token}@127.0.0.1:${port}`
    return {
      url,
      async boot() {
        await home.spawn(etcd, storeArgs)
        await home.until(() => fetch(`${store}/health`))
        await home.spawn(apiserver, serverArgs)
        await home.until(async () => (await openClient(url, home.path)).read('/readyz'))
      },
    }
  },
}

async function argumentsOfStore(home: Home, store: string): Promise<string[]> {
  const peers = `http://127.0.0.1:${await freePort()}`
  return [
    ...['--data-dir', await home.makeFolder('etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', store, '--advertise-client-urls', store],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ...['--initial-cluster', `default=${peers}`],
  ]
}

interface ServerSettings {
  readonly store: string
  readonly port: number
  readonly token: string
}

async function argumentsOfServer(
  home: Home,
  { store, port, token }: ServerSettings
): Promise<string[]> {
  const key = await home.write('service_accounts.pem', newKey())
  const tokens = await home.write('tokens.csv', `${token},admin,admin,system:masters\n`)
  return [
    `--etcd-servers=${store}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${await home.makeFolder(CERTIFICATES)}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
  ]
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
}

async function openClient(url: string, folder: string): Promise<KubernetesClient> {
  return new KubernetesClient(url, await readFile(join(folder, CERTIFICATE), 'utf8'))
}

export interface KubeApiserver {
  readonly server: RealServer
  readonly client: KubernetesClient
  /** The file with which Helm reaches it. */
  readonly kubeconfig: string
}

/** A kube-apiserver with its etcd: it checks and keeps objects, and nothing runs them. */
export async function startKubeApiserver(): Promise<KubeApiserver> {
  const server = await RealServer.start(recipe)
  const kubeconfig = join(server.folder, 'kubeconfig')
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(server)), { mode: 0o600 })
  return { server, client: await openClient(server.url, server.folder), kubeconfig }
}

function kubeconfigOf({ url, folder }: RealServer): object {
  const { origin, password } = new URL(url)
  const authority = join(folder, CERTIFICATE)
  const name = 'one'
  return {
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [{ name, cluster: { 'server': origin, 'certificate-authority': authority } }],
    'users': [{ name, user: { token: password } }],
    'contexts': [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
}
