import type { ChangeContent } from '#outbox/entry'

/** What subscribers of Redis channels are told of a change: once per channel, the same everywhere. */
export function publicationsOf(content: ChangeContent): { channel: string; payload: string }[] {
  const { kind, change, id, realms, data } = content
  const payload = JSON.stringify({ type: kind, event: change, data })
  const roots = ['resources', ...realms.map((realm) => `resources/${realm}`)]
  return roots.flatMap((root) => [
    { channel: `${root}/${kind}`, payload },
    { channel: `${root}/${kind}/${id}`, payload },
  ])
}
