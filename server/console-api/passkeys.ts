// A person's own passkeys and recovery codes. Changing them takes a recent sign-in, or confirming that it is them.
import type { FastifyRequest } from 'fastify'
import { addPasskey, startPasskey } from '../domain/accounts/passkeys/add-passkey.ts'
import { askForPasskey } from '../domain/accounts/passkeys/challenge.ts'
import {
  confirmByCode,
  confirmByPasskey,
  isConfirmed,
  requireConfirmed,
} from '../domain/accounts/passkeys/confirm.ts'
import { listPasskeys, renamePasskey } from '../domain/accounts/passkeys/queries.ts'
import { countRecoveryCodes } from '../domain/accounts/passkeys/recovery-code-queries.ts'
import { createRecoveryCodes } from '../domain/accounts/passkeys/recovery-codes.ts'
import { obstacleOf } from '../domain/accounts/passkeys/relying-party.ts'
import { removePasskey } from '../domain/accounts/passkeys/remove-passkeys.ts'
import {
  Confirmation,
  Done,
  NewPasskey,
  OwnPasskeys,
  PasskeyAdded,
  PasskeyOptions,
  PasskeyParams,
  RecoveryCodes,
  RenamePasskey,
} from '../domain/accounts/passkeys/schema.ts'
import { newIdAfter } from '../platform/db/id.ts'
import { ApiError } from '../platform/errors.ts'
import { type App, callOf, spend } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'
import { browserSecretOf } from './session.ts'
import { refuseCodes, type SessionDeps, TRIES_PER_ASKER } from './sessions.ts'

type Deps = SessionDeps & { newId: typeof newIdAfter }

const ctxOf = (deps: Deps, request: FastifyRequest) => ({ ...deps, ...callOf(request), log: request.log })

const requireRecent = ({ now }: Deps, { session }: FastifyRequest): void => requireConfirmed(session, now())

export const registerPasskeys = (app: App, given: SessionDeps): void => {
  const deps: Deps = { ...given, newId: newIdAfter }
  app.get(
    '/passkeys',
    { schema: { operationId: 'consoleListPasskeys', response: { 200: OwnPasskeys } } },
    ({ session }) => show(deps, session),
  )
  registerAdding(app, deps)
  registerChanges(app, deps)
  registerConfirmation(app, deps)
}

const show = async (deps: Deps, session: FastifyRequest['session']): Promise<OwnPasskeys> => {
  const passkeys = await listPasskeys(deps, session.accountId)
  return {
    passkeys,
    recoveryCodesLeft: await countRecoveryCodes(deps, session.accountId),
    isConfirmed: isConfirmed(session, deps.now()),
    canMailCode: deps.sendsMail && !deps.oidc?.isOnly && passkeys.length === 0,
    obstacle: obstacleOf(deps),
    origin: new URL(deps.publicUrl).origin,
    providerName: deps.oidc?.name ?? null,
  }
}

const registerAdding = (app: App, deps: Deps): void => {
  app.post(
    '/passkeys/options',
    {
      schema: {
        operationId: 'consoleStartPasskey',
        response: { 200: PasskeyOptions, ...errors('CONFIRMATION_REQUIRED', 'PASSKEYS_UNAVAILABLE') },
      },
    },
    (request) => {
      requireRecent(deps, request)
      return startPasskey(ctxOf(deps, request), request.session)
    },
  )
  app.post(
    '/passkeys',
    {
      schema: {
        operationId: 'consoleAddPasskey',
        body: NewPasskey,
        response: {
          200: PasskeyAdded,
          ...errors(
            'CONFIRMATION_REQUIRED',
            'PASSKEY_REFUSED',
            'PASSKEY_EXISTS',
            'PASSKEY_LIMIT_REACHED',
            'PASSKEYS_UNAVAILABLE',
          ),
        },
      },
    },
    (request) => {
      requireRecent(deps, request)
      return addPasskey(ctxOf(deps, request), request.session, request.body)
    },
  )
}

const registerChanges = (app: App, deps: Deps): void => {
  app.patch(
    '/passkeys/:passkeyId',
    {
      schema: {
        operationId: 'consoleRenamePasskey',
        params: PasskeyParams,
        body: RenamePasskey,
        response: { 200: Done, ...errors('PASSKEY_NOT_FOUND') },
      },
    },
    async ({ session: { accountId }, params: { passkeyId: id }, body: { name } }) => {
      if (!(await renamePasskey(deps, { accountId, id, name }))) throw new ApiError('PASSKEY_NOT_FOUND')
      return { success: true as const }
    },
  )
  app.delete(
    '/passkeys/:passkeyId',
    {
      schema: {
        operationId: 'consoleRemovePasskey',
        params: PasskeyParams,
        response: { 200: Done, ...errors('CONFIRMATION_REQUIRED', 'PASSKEY_NOT_FOUND') },
      },
    },
    async (request) => {
      requireRecent(deps, request)
      await removePasskey(ctxOf(deps, request), request.session, request.params.passkeyId)
      return { success: true as const }
    },
  )
  app.post(
    '/passkeys/recovery-codes',
    {
      schema: {
        operationId: 'consoleCreateRecoveryCodes',
        response: { 200: RecoveryCodes, ...errors('CONFIRMATION_REQUIRED', 'PASSKEY_NOT_FOUND') },
      },
    },
    (request) => {
      requireRecent(deps, request)
      return createRecoveryCodes(ctxOf(deps, request), request.session)
    },
  )
}

/** Below /sign-in, where browsers send the cookie that an emailed code belongs to. */
const registerConfirmation = (app: App, deps: Deps): void => {
  app.post(
    '/sign-in/confirm-options',
    {
      schema: {
        operationId: 'consoleAskForConfirmation',
        response: { 200: PasskeyOptions, ...errors('PASSKEYS_UNAVAILABLE') },
      },
    },
    (request) => {
      const { hash: owner, accountId } = request.session
      return askForPasskey(ctxOf(deps, request), { owner, accountId })
    },
  )
  app.post(
    '/sign-in/confirm',
    {
      schema: {
        operationId: 'consoleConfirm',
        body: Confirmation,
        response: {
          200: Done,
          ...errors(
            'SIGN_IN_REFUSED',
            'SECOND_FACTOR_REFUSED',
            'PASSKEYS_UNAVAILABLE',
            'SIGN_IN_BY_PROVIDER_ONLY',
          ),
        },
      },
    },
    async (request, reply) => {
      const { session } = request
      const { passkey, code = '' } = request.body
      await spend(deps, reply, `confirm:${session.hash.toString('base64url')}`, TRIES_PER_ASKER)
      const ctx = ctxOf(deps, request)
      if (passkey) await confirmByPasskey(ctx, session, passkey)
      else {
        refuseCodes(deps)
        const browserSecret = browserSecretOf(deps, request) ?? ''
        await confirmByCode(ctx, session, {
          email: session.email,
          code: code.replace(' ', ''),
          browserSecret,
        })
      }
      return { success: true as const }
    },
  )
}
