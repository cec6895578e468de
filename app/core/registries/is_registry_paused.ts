/** Whether the registry of a task `t` is paused at the time `$1`. */
export const IS_REGISTRY_PAUSED = `exists (select 1 from registry_states s
  where s.registry_id::text = t.data->>'registryId' and s.paused_until > $1)`
