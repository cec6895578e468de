import { adoptionSuite } from '#tests/helpers/adoption_suite'

adoptionSuite('PostgreSQL', async () => ({ url: process.env.DATABASE_URL!, async stop() {} }))
