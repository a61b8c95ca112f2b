import { Page } from '../../ui/page.tsx'

export const Contacts = () => <Page title="Contacts">{null}</Page>
