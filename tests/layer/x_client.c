/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "x_client.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <xcb/xtest.h>

/* ---- Server ---------------------------------------------------------------------------------- */

static void become_server(int number_fd, const char *cookies)
{
    /* also where the test ends by a sanitizer or a time limit */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const char *number = test_text("%d", number_fd);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "800x600x24", "-nolisten", "tcp",
           "-noreset", cookies ? "-auth" : (char *)NULL, cookies, (char *)NULL);
    _exit(127);
}

/* The number that the server chose, as a line; empty where it has ended before. */
static void read_number(int fd, char *text, size_t size)
{
    size_t used = 0;
    while (used + 1 < size && read(fd, text + used, 1) == 1 && text[used] != '\n') {
        used++;
    }
    text[used] = 0;
}

static bool start(struct x_server *server, const char *cookies)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    *server = (struct x_server){.pid = fork()};
    if (server->pid == 0) {
        close(fds[0]);
        become_server(fds[1], cookies);
    }
    close(fds[1]);
    char number[8];
    read_number(fds[0], number, sizeof number);
    close(fds[0]);
    if (server->pid < 0 || !number[0]) {
        x_server_stop(server);
        return false;
    }
    snprintf(server->display, sizeof server->display, ":%s", number);
    return true;
}

bool x_server_start(struct x_server *server)
{
    return start(server, NULL);
}

bool x_server_start_locked(struct x_server *server, const char *cookies)
{
    return start(server, cookies);
}

void x_server_stop(struct x_server *server)
{
    if (server->pid > 0) {
        kill(server->pid, SIGKILL);
        waitpid(server->pid, NULL, 0);
        if (server->display[0]) {
            char path[64];
            snprintf(path, sizeof path, "/tmp/.X%s-lock", server->display + 1);
            unlink(path);
            snprintf(path, sizeof path, "/tmp/.X11-unix/X%s", server->display + 1);
            unlink(path);
        }
    }
    server->pid = 0;
}

/* ---- Client ---------------------------------------------------------------------------------- */

struct x_client x_client_open(const struct x_server *server)
{
    struct x_client client = {.connection = xcb_connect(server->display, NULL)};
    assert_int_equal(xcb_connection_has_error(client.connection), 0);
    client.root = xcb_setup_roots_iterator(xcb_get_setup(client.connection)).data->root;
    OWNED(owned_free)
    xcb_test_get_version_reply_t *version = xcb_test_get_version_reply(
        client.connection, xcb_test_get_version(client.connection, 2, 2), NULL);
    assert_non_null(version);
    return client;
}

void x_client_close(struct x_client *client)
{
    xcb_disconnect(client->connection);
    client->connection = NULL;
}

void x_sync(struct x_client *client)
{
    free(xcb_get_input_focus_reply(client->connection, xcb_get_input_focus(client->connection),
                                   NULL));
}

xcb_window_t x_window(struct x_client *client, xcb_window_t parent, struct x_place place)
{
    const xcb_window_t window = xcb_generate_id(client->connection);
    const uint32_t events = XCB_EVENT_MASK_KEY_PRESS;
    xcb_create_window(client->connection, XCB_COPY_FROM_PARENT, window,
                      parent ? parent : client->root, place.x, place.y, place.width, place.height,
                      0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK,
                      &events);
    xcb_map_window(client->connection, window);
    x_sync(client);
    return window;
}

void x_window_place(struct x_client *client, xcb_window_t window, struct x_place place)
{
    const uint32_t values[] = {(uint32_t)place.x, (uint32_t)place.y, place.width, place.height};
    xcb_configure_window(client->connection, window,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT,
                         values);
    x_sync(client);
}

void x_window_raise(struct x_client *client, xcb_window_t window)
{
    const uint32_t above = XCB_STACK_MODE_ABOVE;
    xcb_configure_window(client->connection, window, XCB_CONFIG_WINDOW_STACK_MODE, &above);
    x_sync(client);
}

void x_window_show(struct x_client *client, xcb_window_t window, bool shown)
{
    if (shown) {
        xcb_map_window(client->connection, window);
    } else {
        xcb_unmap_window(client->connection, window);
    }
    x_sync(client);
}

void x_window_reparent(struct x_client *client, xcb_window_t window, xcb_window_t parent)
{
    xcb_reparent_window(client->connection, window, parent, 0, 0);
    x_sync(client);
}

void x_window_destroy(struct x_client *client, xcb_window_t window)
{
    xcb_destroy_window(client->connection, window);
    x_sync(client);
}

void x_focus(struct x_client *client, xcb_window_t window)
{
    xcb_set_input_focus(client->connection, XCB_INPUT_FOCUS_PARENT, window, XCB_CURRENT_TIME);
    x_sync(client);
}

void x_pointer(struct x_client *client, int16_t x, int16_t y)
{
    xcb_test_fake_input(client->connection, XCB_MOTION_NOTIFY, 0, 0, client->root, x, y, 0);
    x_sync(client);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

uint8_t x_keycode(struct x_client *client, uint32_t keysym)
{
    const xcb_setup_t *setup = xcb_get_setup(client->connection);
    const uint8_t count = (uint8_t)(setup->max_keycode - setup->min_keycode + 1);
    OWNED(owned_free)
    xcb_get_keyboard_mapping_reply_t *reply = xcb_get_keyboard_mapping_reply(
        client->connection, xcb_get_keyboard_mapping(client->connection, setup->min_keycode, count),
        NULL);
    assert_non_null(reply);
    const xcb_keysym_t *keysyms = xcb_get_keyboard_mapping_keysyms(reply);
    uint8_t keycode = 0;
    for (uint32_t i = 0; i < count && keycode == 0; i++) {
        if (keysyms[(size_t)i * reply->keysyms_per_keycode] == keysym) {
            keycode = (uint8_t)(setup->min_keycode + i);
        }
    }
    assert_int_not_equal(keycode, 0);
    return keycode;
}

void x_key(struct x_client *client, uint32_t keysym, bool down)
{
    xcb_test_fake_input(client->connection, down ? XCB_KEY_PRESS : XCB_KEY_RELEASE,
                        x_keycode(client, keysym), 0, client->root, 0, 0, 0);
    x_sync(client);
}

void x_map(struct x_client *client, uint8_t keycode, uint32_t keysym)
{
    xcb_change_keyboard_mapping(client->connection, 1, keycode, 1, &keysym);
    x_sync(client);
}

unsigned x_presses(struct x_client *client)
{
    unsigned count = 0;
    xcb_generic_event_t *event = xcb_poll_for_event(client->connection);
    while (event) {
        count += (event->response_type & 0x7f) == XCB_KEY_PRESS ? 1 : 0;
        free(event);
        event = xcb_poll_for_event(client->connection);
    }
    return count;
}
