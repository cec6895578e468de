import { customDefinitions } from '#tests/services/servers/custom_schemas'
import type { Manifest } from '#tests/services/servers/helm'
import { eventually } from '#tests/helpers/eventually'
import { startKubeApiserver, type KubeApiserver } from '#tests/services/servers/kube_apiserver'
import type { KubernetesClient, ServerObject } from '#tests/services/servers/kubernetes_client'

/** Where the server is asked about objects, and where Helm installs them. */
export const NAMESPACES = { dryRuns: 'hub', releases: 'releases' } as const

const ESTABLISHED_WITHIN_MS = 300_000

const POD_SECURITY = Object.fromEntries(
  ['enforce', 'audit', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted'])
)

/** An object of the whole cluster. */
export const clusterObject = (apiVersion: string, kind: string, name: string): ServerObject => ({
  apiVersion,
  kind,
  metadata: { name },
})

/** A manifest as Helm sends it: it belongs to the namespace of the release. */
export const inNamespace = (namespace: string, manifest: Manifest): ServerObject => ({
  ...manifest,
  metadata: { ...manifest.metadata, namespace },
})

/** A server with the resources of others that the chart uses, and namespaces at the restricted level of Pod Security. */
export async function prepareCluster(): Promise<KubeApiserver> {
  const cluster = await startKubeApiserver()
  const { client } = cluster
  for (const name of Object.values(NAMESPACES)) {
    const namespace = clusterObject('v1', 'Namespace', name)
    await client.create({ ...namespace, metadata: { name, labels: POD_SECURITY } })
    // Controllers, which do not run here, give each namespace this account.
    await client.create(inNamespace(name, clusterObject('v1', 'ServiceAccount', 'default')))
  }
  await Promise.all((await customDefinitions()).map((definition) => define(client, definition)))
  return cluster
}

async function define(client: KubernetesClient, definition: object): Promise<void> {
  const created = await client.create(definition as ServerObject)
  await eventually(async () => {
    const { status } = (await client.find(created))!
    return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')
  }, ESTABLISHED_WITHIN_MS)
}
