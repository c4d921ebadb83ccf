/** Where the page begins. */
import { render } from "preact";
import { App } from "./app.tsx";
import { NavigationProvider } from "./parts/navigation.tsx";

const root = document.querySelector("#app");
if (root !== null) {
  render(
    <NavigationProvider>
      <App />
    </NavigationProvider>,
    root,
  );
}
