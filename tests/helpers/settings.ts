/** Changes settings of a room until the returned function is called. */
export function useSettings<Settings extends object>(
  settingsOf: () => Settings,
  changes: Partial<Settings>
): () => void {
  const settings = settingsOf()
  const previous = { ...settings }
  Object.assign(settings, changes)
  return () => void Object.assign(settings, previous)
}
