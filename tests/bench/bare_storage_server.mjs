/* The least that Node.js needs to copy the same bytes between a connection and the same store. */
import '@poppinss/ts-exec'

const { serve } = await import('./bare_storage.ts')
await serve(Number(process.env.PORT))
process.send('ready')
