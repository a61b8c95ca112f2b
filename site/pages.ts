// Every page, in the order of the navigation.
import { allOperationsOf, type OpenapiDocument } from '../sdk/generator/operations.ts'
import { errorPages } from './errors.ts'
import { eventPages } from './events.ts'
import { guidePages } from './guides.ts'
import type { Page } from './page.ts'
import { type DocumentedOperation, operationPage } from './reference.ts'

type Documented = OpenapiDocument & { paths: Record<string, Record<string, DocumentedOperation>> }

export const listPages = (document: OpenapiDocument): { pages: Page[]; sections: Map<string, string> } => {
  const byId = new Map(
    Object.values((document as Documented).paths)
      .flatMap((methods) => Object.values(methods))
      .map((documented) => [documented.operationId, documented]),
  )
  const operations = allOperationsOf(document).map((operation) => ({
    operation,
    documented: byId.get(operation.id)!,
  }))
  const sections = new Map<string, string>()
  const reference = operations.map(({ operation, documented }) => {
    const page = operationPage(operation, documented, document.components.schemas)
    sections.set(page.path, documented.tags[0]!)
    return page
  })
  return {
    pages: [...guidePages(), ...reference, ...eventPages(document), ...errorPages(operations)],
    sections,
  }
}
