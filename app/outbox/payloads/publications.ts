import type { ChangeContent } from '#outbox/entry'

/** The Redis publications of a change, with the same payload on every channel. */
export function publicationsOf(content: ChangeContent): { channel: string; payload: string }[] {
  const { kind, change, id, realms, data } = content
  const payload = JSON.stringify({ type: kind, event: change, data })
  const roots = ['resources', ...realms.map((realm) => `resources/${realm}`)]
  return roots.flatMap((root) => [
    { channel: `${root}/${kind}`, payload },
    { channel: `${root}/${kind}/${id}`, payload },
  ])
}
