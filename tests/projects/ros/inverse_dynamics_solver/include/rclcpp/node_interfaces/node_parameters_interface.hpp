// A stand-in for ROS's header: the types that a plugin's interface needs.
#pragma once

#include <memory>

namespace rclcpp::node_interfaces {

struct NodeParametersInterface {
    using SharedPtr = std::shared_ptr<NodeParametersInterface>;
    using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
};

}
