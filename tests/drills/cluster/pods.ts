import type { ServerObject } from '#tests/services/servers/kubernetes_client'

/** The pods as controllers would make them of an object, since those do not run here: only a pod is measured by the level that its namespace enforces. */
export function podsMadeOf({ kind, metadata, spec }: ServerObject): ServerObject[] {
  const template = spec?.template
  if (!template?.spec?.containers) {
    return []
  }
  const claims: { metadata: { name: string } }[] = spec.volumeClaimTemplates ?? []
  const disks = claims.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${metadata.name}-0` },
  }))
  const volumes = [...(template.spec.volumes ?? []), ...disks]
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template.metadata,
        name: `${metadata.name}-${kind.toLowerCase()}`,
        namespace: metadata.namespace,
      },
      spec: { ...template.spec, volumes },
    },
  ]
}
