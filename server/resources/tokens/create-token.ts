import { randomBytes } from 'node:crypto'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { hashSecret } from '../../http/authenticate.ts'
import { makeFieldReader } from '../read-fields.ts'
import { insertToken } from './queries.ts'
import { TOKEN_NAME_MAX } from './schema.ts'

export const TOKEN_PREFIX_LENGTH = 12
const SECRET_BYTES = 32

export type CreatedToken = { token: { id: string; name: string; prefix: string }; secret: string }

/** Makes an API token of the workspace. The secret is in this answer and nowhere else: only its hash is stored. */
export const createToken = async (ctx: Ctx, input: { name: string }): Promise<CreatedToken> => {
  const reader = makeFieldReader(input)
  const name = reader.text('name', TOKEN_NAME_MAX)
  reader.finish()
  const secret = `foyer_${randomBytes(SECRET_BYTES).toString('base64url')}`
  return inTransaction(ctx, async (ctx) => {
    const token = { id: ctx.newId(), name, prefix: secret.slice(0, TOKEN_PREFIX_LENGTH) }
    await insertToken(ctx, {
      ...token,
      hash: hashSecret(secret),
      createdBy: ctx.actor.type === 'agent' ? ctx.actor.accountId : null,
    })
    return { token, secret }
  })
}
