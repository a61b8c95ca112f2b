import { Page } from '../../ui/page.tsx'

export const Groups = () => <Page title="Groups">{null}</Page>
