import { CHART, type Helm, type Manifest } from '#tests/services/servers/helm'
import type { KubeApiserver } from '#tests/services/servers/kube_apiserver'
import type { ServerObject } from '#tests/services/servers/kubernetes_client'
import { inNamespace, NAMESPACES } from './prepared_cluster.js'

const RELEASE = 'analysis-hub'

/** The life of a release at a server. The values are a file. */
export interface ReleaseLife {
  readonly cluster: KubeApiserver
  readonly helm: Helm
  readonly values: string
  readonly manifests: readonly Manifest[]
}

/** Installs a release, upgrades it, takes it back and removes it. Resolves to what went wrong. */
export async function releaseProblems(life: ReleaseLife): Promise<string[]> {
  const { cluster, helm, values } = life
  const warnings: string[] = []
  const run = async (...args: string[]) => {
    warnings.push(await helm.atServer(cluster.kubeconfig, ...args, '-n', NAMESPACES.releases))
  }
  try {
    await run('install', RELEASE, CHART, '--values', values)
    await run('upgrade', RELEASE, CHART, '--values', values)
    await run('rollback', RELEASE, '1')
    const { absent } = await objectsOf(life)
    await run('uninstall', RELEASE)
    const { present } = await objectsOf(life)
    return [
      ...warnings.filter((text) => text !== ''),
      ...absent.map(({ kind, metadata }) => `${kind} ${metadata.name} was not there`),
      ...present.map(({ kind, metadata }) => `${kind} ${metadata.name} is left`),
    ]
  } catch (error) {
    return [(error as { stderr?: string }).stderr ?? String(error)]
  }
}

/** The objects of the release, which those of hooks are not. */
async function objectsOf({ cluster, manifests }: ReleaseLife) {
  const present: ServerObject[] = []
  const absent: ServerObject[] = []
  for (const manifest of manifests) {
    if (!manifest.metadata.annotations?.['helm.sh/hook']) {
      const object = inNamespace(NAMESPACES.releases, manifest)
      const found = await cluster.client.find(object)
      ;(found ? present : absent).push(object)
    }
  }
  return { present, absent }
}
