import type { Model } from './contract.ts'
import type { ModelKind } from './names.ts'

const LOADERS: Record<ModelKind, () => Promise<{ model: Model }>> = {
  chat_completions: () => import('./chat-completions/model.ts'),
  responses: () => import('./responses/model.ts'),
  messages: () => import('./messages/model.ts'),
}

/** Loads an adapter when it is first used. */
export const loadModel = async (kind: ModelKind): Promise<Model> => (await LOADERS[kind]()).model

/** Why requests can't go to this base URL, in words that follow the name of the field; undefined if they can. */
export const refuseBaseUrl = async (baseUrl: string): Promise<string | undefined> =>
  (await import('./protocol/base-url.ts')).refuseBaseUrl(baseUrl)
