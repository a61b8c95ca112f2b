// A refusal of the server in the page's language. Apart, so that no page loads it before one is refused something.
import { loadSaid, said } from './said.ts'

type Refusal = { code?: string; message?: string; details?: { field: string; message: string }[] }

export default async (refusal: Refusal): Promise<Refusal> => {
  await loadSaid()
  const { message, details } = refusal
  return {
    ...refusal,
    ...(message && { message: said(message) }),
    ...(details && { details: details.map((detail) => ({ ...detail, message: said(detail.message) })) }),
  }
}
